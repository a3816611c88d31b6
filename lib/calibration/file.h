/* file.h - the file of a calibration: hetero-calibration(5) describes it.
 *
 * The reader is strict: what it does not know, or cannot be sure of, it refuses with one named reason and the
 * line. iniparser takes the text apart; what it would pass over in silence (duplicates, long or broken lines,
 * NUL bytes, a file cut short) is found before it is called.
 */
#ifndef HETERO_LIB_CALIBRATION_FILE_H
#define HETERO_LIB_CALIBRATION_FILE_H

#include <limits.h>

#include "calibration/calibration.h"

/* X(name, text) */
#define HET__CAL_REASONS(X)                        \
	X(NONE, "none")                            \
	X(MISSING, "missing")                      \
	X(UNREADABLE, "unreadable")                \
	X(TRUNCATED, "truncated")                  \
	X(VERSION, "version")                      \
	X(BAD_LINE, "bad line")                    \
	X(DUPLICATE_SECTION, "duplicate section")  \
	X(DUPLICATE_KEY, "duplicate key")          \
	X(UNKNOWN_SECTION, "unknown section")      \
	X(UNKNOWN_KEY, "unknown key")              \
	X(MISSING_KEY, "missing key")              \
	X(BAD_NUMBER, "bad number")                \
	X(BAD_WORD, "bad word")                    \
	X(OUT_OF_RANGE, "out of range")            \
	X(UNKNOWN_ROUTE, "unknown route")          \
	X(UNKNOWN_DEVICE, "unknown device")        \
	X(CHANGED_DRIVER, "changed driver")        \
	X(CHANGED_DEVICE, "changed device")        \
	X(NO_MEMORY, "no memory")

enum het__cal_reason {
#define HET__CAL_REASON(name, text) HET__CAL_##name,
	HET__CAL_REASONS(HET__CAL_REASON)
#undef HET__CAL_REASON
};

const char *het__cal_reason_name(enum het__cal_reason reason);

/** Why a calibration is not used. */
struct het__cal_refusal {
	enum het__cal_reason reason;
	int line;                  /* 0: none in particular */
	char text[PATH_MAX + 512]; /* "FILE:LINE: reason: what is wrong" */
};

/** Makes a refusal; returns false. */
bool het__cal_refuse(struct het__cal_refusal *refusal, const char *path, int line, enum het__cal_reason reason,
		     const char *format, ...) __attribute__((format(printf, 5, 6)));

/** Reads a file into a calibration that holds nothing. False: refused, and nothing is held. */
bool het__calibration_read(const char *path, struct het__calibration *calibration,
			   struct het__cal_refusal *refusal);
/** The same of an open file, which stays open and has this name; `path` is for messages. */
bool het__calibration_read_open(int file, const char *name, const char *path,
				struct het__calibration *calibration, struct het__cal_refusal *refusal);

/** Writes a calibration to a file beside the place, syncs it, reads it and renames it, so that neither half a
 *  file nor one that is refused is ever there. False with errno; nothing has changed then. The folder is there.
 *  The refusal is why the file would not be read; its reason is HET__CAL_NONE when something else is wrong. */
bool het__calibration_write(const char *path, const struct het__calibration *calibration,
			    struct het__cal_refusal *refusal);

/** The text of the file, het__alloc'd; NULL without memory. */
char *het__calibration_text(const struct het__calibration *calibration);

#endif
