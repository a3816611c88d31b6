/* fuzz_calibration.c - for libFuzzer: no bytes make the reader of the calibration's file misbehave.
 *
 * What is read must also come out the same when it is written and read again. tests/fuzz_calibration.sh builds
 * and runs it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "calibration/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void die(const char *what)
{
	fprintf(stderr, "%s\n", what);
	abort();
}

static bool read_bytes(const void *data, size_t bytes, struct het__calibration *c,
		       struct het__cal_refusal *refusal)
{
	const int file = memfd_create("calibration", MFD_CLOEXEC);
	bool good;

	if (file < 0 || write(file, data, bytes) != (ssize_t)bytes)
		die("no memory file");
	lseek(file, 0, SEEK_SET);
	memset(c, 0, sizeof *c);
	good = het__calibration_read_open(file, "/nonexistent", "fuzz", c, refusal);
	close(file);
	return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct het__calibration c, again;
	struct het__cal_refusal refusal = {.reason = HET__CAL_NONE};
	char *text, *second;

	if (!read_bytes(data, bytes, &c, &refusal)) {
		if (refusal.reason == HET__CAL_NONE || c.device || c.pair)
			die("refused without a reason, or something is held");
		return 0;
	}
	text = het__calibration_text(&c);
	if (!text || !read_bytes(text, strlen(text), &again, &refusal))
		die(text ? refusal.text : "no memory");
	second = het__calibration_text(&again);
	if (!second || strcmp(text, second) != 0)
		die("read again it is another");
	het__free(text);
	het__free(second);
	het__calibration_free(&c);
	het__calibration_free(&again);
	return 0;
}
