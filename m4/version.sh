#!/bin/sh
# m4/version.sh - prints the version, which is stated in include/hetero/api.h only. Run by autoconf at the
# top of the source tree.
awk '/^#define HET_VERSION_/ { v = v dot $3; dot = "." } END { printf "%s", v }' include/hetero/api.h
