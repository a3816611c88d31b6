# het_optional.m4 - threads, and what only tests and examples use.

# HET_PTHREAD: flags for POSIX threads; required.
AC_DEFUN([HET_PTHREAD], [
  PTHREAD_CFLAGS=-pthread
  het_saved_CFLAGS=$CFLAGS
  CFLAGS="$CFLAGS -pthread"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <pthread.h>]], [[return pthread_create(0, 0, 0, 0);]])],
    [], [AC_MSG_ERROR([POSIX threads are needed: install the C library's development package (libc6-dev)])])
  CFLAGS=$het_saved_CFLAGS
  AC_SUBST([PTHREAD_CFLAGS])
])

# HET__WITH(NAME, MODULE, VARIABLE, USE, PACKAGE): --with-NAME=auto|yes|no for a pkg-config module; `yes`
# fails when it is missing. Sets het_have_NAME and the automake conditional HAVE_VARIABLE.
AC_DEFUN([HET__WITH], [
  AC_ARG_WITH([$1], [AS_HELP_STRING([--with-$1=auto|yes|no], [$4 (auto)])], [], [with_$1=auto])
  AS_CASE([$with_$1], [auto|yes|no], [],
    [AC_MSG_ERROR([--with-$1=$with_$1: only auto, yes and no are possible])])
  het_have_$1=no
  AS_IF([test "$with_$1" != no], [PKG_CHECK_MODULES([$3], [$2], [het_have_$1=yes], [
    AS_IF([test "$with_$1" = yes], [AC_MSG_ERROR([$2 was asked for but is not there: install $5])])])])
  AM_CONDITIONAL([HAVE_$3], [test "$het_have_$1" = yes])
])

# HET_OPTIONAL: everything that tests and examples can do without.
AC_DEFUN([HET_OPTIONAL], [
  HET__WITH([check], [check >= 0.10], [CHECK], [libcheck, for `make check'], [check])
  HET__WITH([png], [libpng], [PNG], [libpng, for the examples' pictures], [libpng-dev])
  HET__WITH([json], [jansson], [JSON], [jansson, for JSON reports], [libjansson-dev])
  HET__WITH([clblast], [clblast], [CLBLAST], [CLBlast, for the example of native calls], [libclblast-dev])
  HET__WITH([mpi], [mpi], [MPI], [MPI, for the example of several processes], [libmpich-dev])
  MPI_CFLAGS=$(echo "$MPI_CFLAGS" | sed 's/-I/-isystem /g') # its headers are not ours to warn of
  HET__WITH([starpu], [starpu-1.3], [STARPU], [StarPU, to be measured against], [libstarpu-dev])
  STARPU_CFLAGS=$(echo "$STARPU_CFLAGS" | sed 's/-I/-isystem /g') # its headers are not ours to warn of
])
