# het_iniparser.m4 - iniparser, which reads the file of the calibration.

# HET_INIPARSER: required. It has no pkg-config module everywhere. Sets INIPARSER_LIBS.
AC_DEFUN([HET_INIPARSER], [
  AC_ARG_VAR([INIPARSER_LIBS], [linker flags for iniparser, instead of -liniparser])
  AS_IF([test -z "$INIPARSER_LIBS"], [INIPARSER_LIBS=-liniparser])
  AC_MSG_CHECKING([for iniparser])
  het_saved_LIBS=$LIBS
  LIBS="$INIPARSER_LIBS $LIBS"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <iniparser/iniparser.h>]],
      [[iniparser_freedict(iniparser_load("/dev/null"));]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([iniparser is missing, see config.log: install the package libiniparser-dev])])
  LIBS=$het_saved_LIBS
])
