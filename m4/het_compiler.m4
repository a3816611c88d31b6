# het_compiler.m4 - dialect, warnings, visibility, sanitizers and debug checks.

# HET_ADD_FLAG(VARIABLE, FLAG): appends FLAG to VARIABLE and substitutes it, where the C compiler takes it.
AC_DEFUN([HET_ADD_FLAG], [
  AC_CACHE_CHECK([whether $CC accepts $2], [AS_TR_SH([het_cv_flag_$2])], [
    het_saved_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -Werror $2"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
      [AS_TR_SH([het_cv_flag_$2])=yes], [AS_TR_SH([het_cv_flag_$2])=no])
    CFLAGS=$het_saved_CFLAGS])
  AS_IF([test "$AS_TR_SH([het_cv_flag_$2])" = yes], [$1="$$1 $2"])
  AC_SUBST([$1])
])

# HET_DIALECT: the library and its tests are C11 with the GNU C library's extensions.
AC_DEFUN([HET_DIALECT], [
  HET_DIALECT_FLAGS="-std=c11 -D_GNU_SOURCE"
  AC_SUBST([HET_DIALECT_FLAGS])
])

# HET_WARNINGS: the set that the code is clean with, under gcc and clang; errors with --enable-werror.
AC_DEFUN([HET_WARNINGS], [
  m4_foreach_w([flag], [-Wall -Wextra -Wshadow -Wconversion],
    [HET_ADD_FLAG([HET_WARNING_FLAGS], flag)])
  AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [warnings are errors])],
    [], [enable_werror=no])
  HET__YES_OR_NO([werror])
  AS_IF([test "$enable_werror" = yes], [HET_WARNING_FLAGS="$HET_WARNING_FLAGS -Werror"])
])

# HET__YES_OR_NO(OPTION): what was given for --enable-OPTION is one of the two.
AC_DEFUN([HET__YES_OR_NO], [
  AS_CASE([$AS_TR_SH([enable_$1])], [yes|no], [],
    [AC_MSG_ERROR([--enable-$1=$AS_TR_SH([enable_$1]): only yes and no are possible])])
])

# HET_VISIBILITY: the shared library exports what HET_API marks and nothing else.
AC_DEFUN([HET_VISIBILITY], [HET_ADD_FLAG([HET_VISIBILITY_FLAGS], [-fvisibility=hidden])])

# HET__INSTRUMENT(OPTION, HELP, FLAGS): an --enable-OPTION that adds FLAGS to compiler and linker.
AC_DEFUN([HET__INSTRUMENT], [
  AC_ARG_ENABLE([$1], [AS_HELP_STRING([--enable-$1], [$2])], [], [enable_$1=no])
  HET__YES_OR_NO([$1])
  AS_IF([test "$enable_$1" = yes], [HET_INSTRUMENT_FLAGS="$HET_INSTRUMENT_FLAGS $3"])
])

# HET_SANITIZERS: instrumented builds, for testing only.
AC_DEFUN([HET_SANITIZERS], [
  HET__INSTRUMENT([asan], [build with the address sanitizer], [-fsanitize=address -fno-omit-frame-pointer])
  HET__INSTRUMENT([ubsan], [build with the undefined behaviour sanitizer],
    [-fsanitize=undefined -fno-sanitize-recover=undefined])
  HET__INSTRUMENT([tsan], [build with the thread sanitizer], [-fsanitize=thread -fno-omit-frame-pointer])
  HET__INSTRUMENT([coverage], [build for gcov], [--coverage -fprofile-update=atomic])
  AS_IF([test "$enable_asan$enable_tsan" = yesyes],
    [AC_MSG_ERROR([--enable-asan and --enable-tsan exclude each other: use two build folders])])
  AC_SUBST([HET_INSTRUMENT_FLAGS])
  AM_CONDITIONAL([INSTRUMENTED], [test -n "$HET_INSTRUMENT_FLAGS"])
])

# HET_CXX: examples and tests in C++ need its compiler. Without one AC_PROG_CXX goes on with a name.
AC_DEFUN([HET_CXX], [
  AC_LANG_PUSH([C++])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[template <typename A> A same(A a) { return a; }]], [[return same(0);]])],
    [], [AC_MSG_ERROR([a C++ compiler is needed, for the example and the tests in C++: install g++])])
  AC_LANG_POP([C++])
])

# HET_DEBUG_CHECKS: invariant walkers and checks of freed handles, after every operation.
AC_DEFUN([HET_DEBUG_CHECKS], [
  AC_ARG_ENABLE([debug-checks],
    [AS_HELP_STRING([--enable-debug-checks], [check invariants and handles after every operation (slow)])],
    [], [enable_debug_checks=no])
  HET__YES_OR_NO([debug-checks])
  AS_IF([test "$enable_debug_checks" = yes], [HET_DEBUG_FLAGS=-DHETERO_DEBUG_CHECKS])
  AC_SUBST([HET_DEBUG_FLAGS])
])

# HET_ABI_VERSION: libtool's current:revision:age, the only line of lib/ABI that is not a comment.
AC_DEFUN([HET_ABI_VERSION], [
  HET_ABI=$(sed '/^#/d; /^$/d' "$srcdir/lib/ABI")
  AC_SUBST([HET_ABI])
])

# HET_CALIBRATION: does `make install` measure the machine?
AC_DEFUN([HET_CALIBRATION], [
  AC_ARG_ENABLE([calibration],
    [AS_HELP_STRING([--disable-calibration], [make install does not run hetero-calibrate --quick])],
    [], [enable_calibration=yes])
  HET__YES_OR_NO([calibration])
  AM_CONDITIONAL([CALIBRATE], [test "$enable_calibration" = yes && test "$cross_compiling" != yes])
])

# HET_SUMMARY: what was decided, in a few lines.
AC_DEFUN([HET_SUMMARY], [
  AC_MSG_NOTICE([hetero $PACKAGE_VERSION: OpenCL from $het_opencl_from; debug checks $enable_debug_checks; instrumented:${HET_INSTRUMENT_FLAGS:- no}])
  AC_MSG_NOTICE([optional: check ${het_have_check}, libpng ${het_have_png}, jansson ${het_have_json}, clblast ${het_have_clblast}, StarPU ${het_have_starpu}])
])
