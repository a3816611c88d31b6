/* cards.h - a fake machine of two cards with one context, under calibrations: bytes can be copied from card to
 * card, or go by the host.
 */
#ifndef HETERO_TESTS_CARDS_H
#define HETERO_TESTS_CARDS_H

#include "face.h"

#include "calibrations.h"

#define KIB ((size_t)1024)

struct lines {
	char text[65536]; /* warnings and what is told of routes, a line each */
};

/** What the system that open_cards opened last has logged. */
extern struct lines said;
/** The log's callback that keeps lines; `user` is a struct lines. */
void keep_line(void *user, enum het_log_level level, const char *line);
void assert_said(const char *words);
int times_said(const char *words);

/** Both cards are open; the caller closes the system. */
het_system *open_cards(void);

/** A calibration that knows the cards and nothing else. */
struct het__calibration of_cards(void);
/** From card 0 to card 1: copy below 64 KiB, by the host from there on. */
struct het__cal_pair *crossing(struct het__calibration *c);

/** Of a file in the test's folder; until the next call. */
const char *path_of(const char *name);

/** The name of the route that the library takes between two devices (-1: the host). */
const char *route_of(het_system *system, int from, int to, size_t bytes, bool strided);

#endif
