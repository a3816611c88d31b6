/* scan.h - the lines of a calibration's file, before iniparser sees them. Private to lib/calibration.
 *
 * Only lines that iniparser and we understand alike pass: [section], key = value, key = "value", comments,
 * empty ones; names in lower case, no continuation, at most HET__CAL_LINE_BYTES. No more sections and keys pass
 * than a calibration may need, because iniparser takes time by the square of their number.
 */
#ifndef HETERO_LIB_CALIBRATION_SCAN_H
#define HETERO_LIB_CALIBRATION_SCAN_H

#include "calibration/file.h"

#define HET__CAL_LINE_BYTES 1000 /* iniparser takes 1024 */
#define HET__CAL_FILE_BYTES (4u << 20)
#define HET__CAL_MOST_SECTIONS (HET__CAL_MOST_DEVICES + HET__CAL_MOST_PAIRS + 2)
#define HET__CAL_MOST_KEYS (3 + HET__CAL_CHOICES + 2 * HET__CAL_ROUTES) /* of a section: those of a pair */
#define HET__CAL_MOST_ENTRIES 16384 /* keys of all sections: 15 for each pair */

/** One key. */
struct het__cal_entry {
	int line, section; /* section: its place in the list */
	const char *key;   /* in `text` */
};

struct het__cal_section {
	int line;
	const char *name; /* in `text` */
};

struct het__cal_scan {
	char *text; /* the file, cut into words by NULs */
	size_t bytes;
	struct het__cal_section *section;
	int section_count, section_room;
	struct het__cal_entry *entry;
	int entry_count, entry_room;
};

/** Reads and checks a file from its beginning. False: refused, and nothing is held. */
bool het__cal_scan(int file, const char *path, struct het__cal_scan *scan, struct het__cal_refusal *refusal);
void het__cal_scan_free(struct het__cal_scan *scan);

#endif
