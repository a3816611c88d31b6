#!/bin/sh
# tests/fuzz_calibration.sh - the reader of the calibration's file under libFuzzer and the address sanitizer, for
# HETERO_TEST_FUZZ_S seconds (5). It needs clang and its fuzzer runtime.
set -eu
: "${top_srcdir:?is set by make check}" "${top_builddir:?is set by make check}"
work=$top_builddir/fuzz.work
rm -rf "$work"
mkdir -p "$work/seeds" "$work/found"
echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return !d && n; }' >"$work/probe.c"
if ! clang -fsanitize=fuzzer,address "$work/probe.c" -o "$work/probe" 2>/dev/null; then
	echo 'clang or its fuzzer runtime is missing'
	exit 77
fi
# What the reader needs and nothing else of the library.
# shellcheck disable=SC2086  # a list of words
clang -std=c11 -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
	-I"$top_srcdir/include" -I"$top_srcdir/lib" "$top_srcdir/tests/fuzz_calibration.c" \
	"$top_srcdir"/lib/calibration/model.c "$top_srcdir"/lib/calibration/read.c \
	"$top_srcdir"/lib/calibration/scan.c "$top_srcdir"/lib/calibration/write.c \
	"$top_srcdir"/lib/base/alloc.c "$top_srcdir"/lib/base/file.c "$top_srcdir"/lib/base/text.c \
	"$top_srcdir"/lib/base/utf8.c -o "$work/fuzz" ${INIPARSER_LIBS--liniparser} -pthread
cat >"$work/seeds/whole" <<'END'
[calibration]
format = 1
library = "0.1.0"
date = "2026-01-31T10:22:05Z"
[device.1]
name = "gpu"
platform = "p"
hardware = "h"
driver = "d"
id = "-"
memory_bytes = 1
figure.launch_ns = measured 5000 100
figure.queues_overlap = user 1 0
[pair.1]
from = "host"
to = "gpu"
shape = contiguous
choice.1 = 0 staged 0 0 measured
choice.2 = 65536 chunked 4096 2 user
points.staged = measured 4096 10 1, 65536 20 2
barred.mapped = "user because"
[end]
END
printf '[calibration]\nformat = 2\n[end]\n' >"$work/seeds/newer"
printf '"[calibration]"\n"[device.2]"\n"[pair.2]"\n"[end]\\x0a"\n"from = "\n"choice.1 = "\n"points.copy = "\n' >"$work/words"
printf '"figure.launch_ns = "\n' >>"$work/words"
cd "$work"
./fuzz -max_total_time="${HETERO_TEST_FUZZ_S:-5}" -dict=words -max_len=4096 -print_final_stats=1 \
	-artifact_prefix="$work/" found seeds >log 2>&1 || { tail -n 60 log; exit 1; }
grep '^stat::number_of_executed_units' log
rm -rf "$work"
