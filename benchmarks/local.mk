# benchmarks/local.mk - the library against OpenCL by hand.

noinst_PROGRAMS += \
	benchmarks/overhead/overhead \
	benchmarks/routes/routes \
	benchmarks/scaling/scaling

benchmarks_overhead_overhead_SOURCES = \
	benchmarks/overhead/overhead.c \
	benchmarks/overhead/pair.c \
	benchmarks/overhead/pair.h \
	benchmarks/overhead/raw.c \
	benchmarks/overhead/raw.h \
	benchmarks/overhead/report.c \
	benchmarks/overhead/report.h \
	benchmarks/overhead/sample.c \
	benchmarks/overhead/sample.h \
	examples/must.h
benchmarks_overhead_overhead_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/benchmarks -I$(top_srcdir)/examples
benchmarks_overhead_overhead_LDADD = libhetero.la $(OPENCL_LIBS) -lm
if HAVE_JSON
benchmarks_overhead_overhead_CPPFLAGS += -DHAVE_JSON $(JSON_CFLAGS)
benchmarks_overhead_overhead_LDADD += $(JSON_LIBS)
endif

if HAVE_STARPU
noinst_PROGRAMS += benchmarks/overhead/starpu
endif
benchmarks_overhead_starpu_SOURCES = \
	benchmarks/overhead/pair.c \
	benchmarks/overhead/pair.h \
	benchmarks/overhead/report.c \
	benchmarks/overhead/report.h \
	benchmarks/overhead/sample.c \
	benchmarks/overhead/sample.h \
	benchmarks/overhead/starpu.c \
	examples/must.h
benchmarks_overhead_starpu_CPPFLAGS = $(benchmarks_overhead_overhead_CPPFLAGS) $(STARPU_CFLAGS)
benchmarks_overhead_starpu_LDADD = $(benchmarks_overhead_overhead_LDADD) $(STARPU_LIBS)

# It asks the library's own table of routes, and moves boxes as hetero-calibrate does.
benchmarks_routes_routes_SOURCES = \
	benchmarks/overhead/report.c \
	benchmarks/overhead/report.h \
	benchmarks/overhead/sample.c \
	benchmarks/overhead/sample.h \
	benchmarks/routes/routes.c \
	calibrate/bench.c \
	calibrate/bench.h \
	calibrate/words.c \
	calibrate/words.h \
	examples/must.h
benchmarks_routes_routes_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/benchmarks -I$(top_srcdir)/calibrate \
	-I$(top_srcdir)/examples
benchmarks_routes_routes_LDADD = libhetero_all.la -lm
if HAVE_JSON
benchmarks_routes_routes_CPPFLAGS += -DHAVE_JSON $(JSON_CFLAGS)
benchmarks_routes_routes_LDADD += $(JSON_LIBS)
endif

benchmarks_scaling_scaling_SOURCES = \
	benchmarks/overhead/report.c \
	benchmarks/overhead/report.h \
	benchmarks/overhead/sample.c \
	benchmarks/overhead/sample.h \
	benchmarks/scaling/scaling.c \
	examples/hillshade/grid.c \
	examples/hillshade/grid.h \
	examples/hillshade/relief.c \
	examples/hillshade/relief.h \
	examples/must.h \
	examples/table.c \
	examples/table.h
benchmarks_scaling_scaling_CPPFLAGS = $(example_cppflags) -I$(top_srcdir)/benchmarks -I$(top_srcdir)/examples
benchmarks_scaling_scaling_LDADD = libhetero.la -lm

TESTS += tests/benchmarks.sh tests/benchmark_routes.sh tests/flat_launches.sh
EXTRA_DIST += \
	benchmarks/overhead/instructions.sh \
	tests/benchmark_routes.sh \
	tests/benchmarks.sh \
	tests/flat_launches.sh
