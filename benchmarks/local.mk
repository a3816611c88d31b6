# benchmarks/local.mk - the library against OpenCL by hand.

noinst_PROGRAMS += benchmarks/overhead/overhead
benchmarks_overhead_overhead_SOURCES = \
	benchmarks/overhead/overhead.c \
	benchmarks/overhead/raw.c \
	benchmarks/overhead/raw.h \
	benchmarks/overhead/sample.c \
	benchmarks/overhead/sample.h
benchmarks_overhead_overhead_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/benchmarks
benchmarks_overhead_overhead_LDADD = libhetero.la $(OPENCL_LIBS) -lm
