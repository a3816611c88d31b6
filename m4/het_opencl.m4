# het_opencl.m4 - finds OpenCL: headers CL/cl.h and a loader libOpenCL.

# HET_OPENCL: in this order
#   --with-opencl=DIR                  a CUDA Toolkit, or anything with include/CL/cl.h and lib*/libOpenCL.so*
#   pkg-config OpenCL                  an ICD loader such as ocl-icd
#   $CUDA_PATH, $CUDA_HOME, /usr/local/cuda
# Sets OPENCL_CFLAGS and OPENCL_LIBS; OPENCL_RPATH, for libtool, where the loader is not in a place that
# the system searches; OPENCL_REQUIRES for hetero.pc. het_opencl_from says where it was found.
AC_DEFUN([HET_OPENCL], [
  AC_ARG_WITH([opencl],
    [AS_HELP_STRING([--with-opencl=DIR], [OpenCL headers and loader below DIR, e.g. a CUDA Toolkit])],
    [], [with_opencl=auto])
  AC_ARG_VAR([CUDA_PATH], [folder of a CUDA Toolkit, whose OpenCL is used when no other is found])
  het_opencl_from=
  AS_CASE([$with_opencl],
    [no], [AC_MSG_ERROR([Hetero is a library over OpenCL: it cannot be built --without-opencl])],
    [yes|auto], [HET__OPENCL_SEARCH],
    [HET__OPENCL_BELOW([$with_opencl])
     AS_IF([test -z "$het_opencl_from"],
       [AC_MSG_ERROR([no CL/cl.h and libOpenCL.so below $with_opencl: give the folder of a CUDA Toolkit or of an OpenCL SDK])])])
  AS_IF([test -z "$het_opencl_from"],
    [AC_MSG_ERROR([no OpenCL found: install the packages ocl-icd-opencl-dev and opencl-headers (or a CUDA Toolkit, and give its folder with --with-opencl=DIR)])])
  AS_CASE([$het_opencl_from], [*' '*|*'	'*],
    [AC_MSG_ERROR([OpenCL is in "$het_opencl_from": make and libtool take no names with blanks; a link without them will do])])
  HET__OPENCL_LINKS
  AC_SUBST([OPENCL_CFLAGS])
  AC_SUBST([OPENCL_LIBS])
  AC_SUBST([OPENCL_REQUIRES])
  AC_SUBST([OPENCL_RPATH])
])

# HET__OPENCL_SEARCH: the places that need not be named.
AC_DEFUN([HET__OPENCL_SEARCH], [
  PKG_CHECK_MODULES([OPENCL], [OpenCL], [het_opencl_from=pkg-config OPENCL_REQUIRES=OpenCL], [
    for het_dir in "$CUDA_PATH" "$CUDA_HOME" /usr/local/cuda; do
      AS_IF([test -n "$het_dir" && test -z "$het_opencl_from"], [HET__OPENCL_BELOW([$het_dir])])
    done])
])

# HET__OPENCL_BELOW(DIR): the layouts of a CUDA Toolkit (include, lib64, targets/*), of the PyPI package
# nvidia-cuda-opencl (nvidia/cu*/include, nvidia/cu*/lib, a loader without its .so link) and of an SDK.
AC_DEFUN([HET__OPENCL_BELOW], [
  AC_MSG_CHECKING([for OpenCL below $1])
  het_found=no
  for het_root in "$1" "$1"/targets/*-linux* "$1"/nvidia/cu* "$1"/nvidia/cuda_opencl "$1"/cu*; do
    test -f "$het_root/include/CL/cl.h" || continue
    for het_lib in "$het_root"/lib64 "$het_root"/lib "$het_root"/lib/x86_64-linux-gnu; do
      for het_loader in libOpenCL.so libOpenCL.so.1; do
        AS_IF([test $het_found = no && test -f "$het_lib/$het_loader"], [
          het_found=$het_root
          het_opencl_from=$(cd "$het_root" && pwd)
          OPENCL_CFLAGS="-isystem $het_opencl_from/include"
          OPENCL_LIBDIR=$(cd "$het_lib" && pwd)
          OPENCL_LIBS="-L$OPENCL_LIBDIR -l:$het_loader"
          OPENCL_RPATH="-R $OPENCL_LIBDIR"])
      done
    done
  done
  AC_MSG_RESULT([$het_found])
])

# HET__OPENCL_LINKS: what was found compiles and links.
AC_DEFUN([HET__OPENCL_LINKS], [
  AC_MSG_CHECKING([whether the OpenCL of $het_opencl_from links])
  het_saved_CPPFLAGS=$CPPFLAGS
  het_saved_LIBS=$LIBS
  CPPFLAGS="$CPPFLAGS $OPENCL_CFLAGS -DCL_TARGET_OPENCL_VERSION=120"
  LIBS="$OPENCL_LIBS $LIBS"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <CL/cl.h>]], [[return (int)clGetPlatformIDs(0, 0, 0);]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([the OpenCL found ($het_opencl_from) does not link, see config.log: install ocl-icd-opencl-dev and opencl-headers, or give another with --with-opencl=DIR])])
  CPPFLAGS=$het_saved_CPPFLAGS
  LIBS=$het_saved_LIBS
])
