# stepocl/local.mk - hetero-stepocl, which runs a stencil's kernel, written for one device, on all of them.

stepocl_reading = \
	stepocl/check.c \
	stepocl/description.h \
	stepocl/read.c \
	stepocl/type.c

stepocl_planning = \
	stepocl/partition.c \
	stepocl/partition.h

stepocl_running = \
	stepocl/data.h \
	stepocl/engine.c \
	stepocl/engine.h \
	stepocl/options.h

bin_PROGRAMS += stepocl/hetero-stepocl
stepocl_hetero_stepocl_SOURCES = \
	$(stepocl_reading) \
	$(stepocl_planning) \
	$(stepocl_running) \
	calibrate/tool.c \
	calibrate/tool.h \
	stepocl/data.c \
	stepocl/emit.c \
	stepocl/fit.c \
	stepocl/options.c \
	stepocl/run.c \
	stepocl/run.h \
	stepocl/show.c \
	stepocl/show.h \
	stepocl/stepocl.c
stepocl_hetero_stepocl_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(EXPAT_CFLAGS)
stepocl_hetero_stepocl_LDADD = libhetero_all.la $(EXPAT_LIBS) -lm

dist_man_MANS += stepocl/hetero-stepocl.1
EXTRA_DIST += \
	stepocl/jacobi.cl \
	stepocl/jacobi.xml \
	stepocl/stencil.cl \
	stepocl/stencil.xml
