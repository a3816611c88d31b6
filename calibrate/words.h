/* words.h - numbers and names as hetero-calibrate and hetero-info show them. */
#ifndef HETERO_CALIBRATE_WORDS_H
#define HETERO_CALIBRATE_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"

#define WORDS_BYTES HET__TIME_BYTES /* het__time_words are of these words */

/* Each writes to `text`, of WORDS_BYTES, and returns it. */

/** Exactly: "64 KiB", "65537 B". */
const char *size_words(char *text, uint64_t bytes);
/** Nearly: "13.7 GiB". */
const char *amount_words(char *text, uint64_t bytes);
/** "3.10 GB/s", "85.0 MB/s": of 10^9, of 10^6 bytes. */
const char *rate_words(char *text, double bytes, double ns);

#endif
