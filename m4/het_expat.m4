# het_expat.m4 - expat, which reads the descriptions of hetero-stepocl.

# HET_EXPAT: required. Sets EXPAT_CFLAGS and EXPAT_LIBS.
AC_DEFUN([HET_EXPAT], [
  PKG_CHECK_MODULES([EXPAT], [expat], [],
    [AC_MSG_ERROR([expat is missing, see config.log: install the package libexpat1-dev])])
])
