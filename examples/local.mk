# examples/local.mk - programs to start from. They use the public headers only; what they share is must.h,
# number.h, printed.h, output.c, table.c and the plain loop of heat. They find their kernels in the source tree.

noinst_PROGRAMS += \
	examples/cg/cg \
	examples/cholesky/cholesky \
	examples/cxx/saxpy \
	examples/heat/heat \
	examples/hello/hello \
	examples/hillshade/hillshade \
	examples/pipeline/pipeline \
	examples/product/product

example_cppflags = -I$(top_srcdir)/include -DEXAMPLES='"$(abs_top_srcdir)/examples"'

examples_cg_cg_SOURCES = \
	examples/cg/cg.c \
	examples/must.h \
	examples/printed.h \
	examples/table.c \
	examples/table.h
examples_cg_cg_CPPFLAGS = $(example_cppflags)
examples_cg_cg_LDADD = libhetero.la -lm

examples_cholesky_cholesky_SOURCES = \
	examples/cholesky/cholesky.c \
	examples/must.h \
	examples/number.h \
	examples/printed.h
examples_cholesky_cholesky_CPPFLAGS = $(example_cppflags)
examples_cholesky_cholesky_LDADD = libhetero.la -lm

# Its check is heat's, and so is its kernel.
if HAVE_MPI
noinst_PROGRAMS += examples/cluster/cluster
endif
examples_cluster_cluster_SOURCES = \
	examples/cluster/cluster.c \
	examples/heat/plain.c \
	examples/heat/plain.h \
	examples/must.h \
	examples/number.h \
	examples/printed.h
examples_cluster_cluster_CPPFLAGS = $(example_cppflags) $(MPI_CFLAGS)
examples_cluster_cluster_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
examples_cluster_cluster_LDADD = libhetero.la $(MPI_LIBS)

examples_cxx_saxpy_SOURCES = examples/cxx/saxpy.cc examples/printed.h
examples_cxx_saxpy_CPPFLAGS = $(example_cppflags)
examples_cxx_saxpy_LDADD = libhetero.la

# The check repeats in C what the kernel computes: no operation may be fused with another there.
examples_heat_heat_SOURCES = \
	examples/heat/heat.c \
	examples/heat/plain.c \
	examples/heat/plain.h \
	examples/must.h \
	examples/printed.h \
	examples/table.c \
	examples/table.h
examples_heat_heat_CPPFLAGS = $(example_cppflags)
examples_heat_heat_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
examples_heat_heat_LDADD = libhetero.la

examples_hello_hello_SOURCES = examples/hello/hello.c examples/must.h examples/printed.h
examples_hello_hello_CPPFLAGS = $(example_cppflags)
examples_hello_hello_LDADD = libhetero.la

# The check repeats in C what the kernels compute: no operation may be fused with another there.
examples_hillshade_hillshade_SOURCES = \
	examples/hillshade/grid.c \
	examples/hillshade/grid.h \
	examples/hillshade/hillshade.c \
	examples/hillshade/picture.c \
	examples/hillshade/picture.h \
	examples/hillshade/plain.c \
	examples/hillshade/plain.h \
	examples/hillshade/relief.c \
	examples/hillshade/relief.h \
	examples/must.h \
	examples/output.c \
	examples/output.h \
	examples/printed.h \
	examples/table.c \
	examples/table.h
examples_hillshade_hillshade_CPPFLAGS = $(example_cppflags)
examples_hillshade_hillshade_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
examples_hillshade_hillshade_LDADD = libhetero.la -lm
if HAVE_PNG
examples_hillshade_hillshade_CPPFLAGS += -DHAVE_PNG $(PNG_CFLAGS)
examples_hillshade_hillshade_LDADD += $(PNG_LIBS)
endif

examples_pipeline_pipeline_SOURCES = \
	examples/must.h \
	examples/number.h \
	examples/pipeline/pipeline.c \
	examples/printed.h \
	examples/table.c \
	examples/table.h
examples_pipeline_pipeline_CPPFLAGS = $(example_cppflags)
examples_pipeline_pipeline_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
examples_pipeline_pipeline_LDADD = libhetero.la -lm

examples_product_product_SOURCES = \
	examples/must.h \
	examples/printed.h \
	examples/product/blas.c \
	examples/product/blas.h \
	examples/product/product.c \
	examples/table.c \
	examples/table.h
examples_product_product_CPPFLAGS = $(example_cppflags)
examples_product_product_LDADD = libhetero.la -lm
if HAVE_CLBLAST
examples_product_product_CPPFLAGS += -DHAVE_CLBLAST $(CLBLAST_CFLAGS)
examples_product_product_LDADD += $(CLBLAST_LIBS) $(OPENCL_LIBS)
endif

example_tests = \
	tests/examples.sh \
	tests/examples_cluster.sh \
	tests/examples_drivers.sh \
	tests/examples_usage.sh
TESTS += $(example_tests)

EXTRA_DIST += \
	$(example_tests) \
	tests/examples_common.sh \
	examples/data/README.md \
	examples/data/jacksboro_dem.asc \
	examples/data/topobathy.asc \
	examples/cg/cg.cl \
	examples/cholesky/cholesky.cl \
	examples/heat/heat.cl \
	examples/hillshade/hillshade.cl \
	examples/pipeline/pipeline.cl \
	examples/product/product.cl
