# benchmarks/local.mk - the library against OpenCL by hand.

noinst_PROGRAMS += \
	benchmarks/ep/ep \
	benchmarks/ft/ft \
	benchmarks/jacobi/jacobi \
	benchmarks/matmulrow/matmulrow \
	benchmarks/nbody/nbody \
	benchmarks/overhead/overhead \
	benchmarks/path/path \
	benchmarks/routes/opening \
	benchmarks/routes/routes \
	benchmarks/scaling/scaling \
	benchmarks/shawa/shawa \
	benchmarks/sloc/sloc \
	benchmarks/stencil7/stencil7 \
	benchmarks/stepocl/stepocl \
	benchmarks/summa/summa

# What the benchmarks share.
benchmarks_cppflags = \
	$(AM_CPPFLAGS) \
	-I$(top_srcdir)/benchmarks \
	-I$(top_srcdir)/examples \
	-DBENCHMARKS='"$(abs_top_srcdir)/benchmarks"'
benchmarks_libs = libhetero.la $(OPENCL_LIBS) -lm
if HAVE_JSON
benchmarks_cppflags += -DHAVE_JSON $(JSON_CFLAGS)
benchmarks_libs += $(JSON_LIBS)
endif

benchmarks_common = \
	benchmarks/common/bench.c \
	benchmarks/common/bench.h \
	benchmarks/common/clock.c \
	benchmarks/common/clock.h \
	benchmarks/common/figures.c \
	benchmarks/common/flows.c \
	benchmarks/common/flows.h \
	benchmarks/common/hand.c \
	benchmarks/common/hand.h \
	benchmarks/common/library.h \
	benchmarks/common/local.h \
	benchmarks/common/number.h \
	benchmarks/common/open.h \
	benchmarks/common/options.c \
	benchmarks/common/options.h \
	benchmarks/common/random46.h \
	benchmarks/common/refuse.h \
	benchmarks/common/report.c \
	benchmarks/common/report.h \
	benchmarks/common/rounds.h \
	benchmarks/common/sample.c \
	benchmarks/common/sample.h \
	examples/must.h \
	examples/printed.h \
	lib/base/utf8.c \
	lib/base/utf8.h

benchmarks_ep_ep_SOURCES = \
	$(benchmarks_common) \
	benchmarks/ep/ep.c \
	benchmarks/ep/ep.h \
	benchmarks/ep/ep_copying.c \
	benchmarks/ep/ep_hetero.c \
	benchmarks/ep/ep_plain.c
benchmarks_ep_ep_CPPFLAGS = $(benchmarks_cppflags)
benchmarks_ep_ep_LDADD = $(benchmarks_libs)

benchmarks_ft_ft_SOURCES = \
	$(benchmarks_common) \
	benchmarks/ft/ft.c \
	benchmarks/ft/ft.h \
	benchmarks/ft/ft_copying.c \
	benchmarks/ft/ft_hetero.c \
	benchmarks/ft/ft_local.c \
	benchmarks/ft/ft_shared.c
benchmarks_ft_ft_CPPFLAGS = $(benchmarks_cppflags)
benchmarks_ft_ft_LDADD = $(benchmarks_libs)

benchmarks_strips = \
	benchmarks/common/strips.c \
	benchmarks/common/strips.h

benchmarks_sweep = \
	$(benchmarks_strips) \
	benchmarks/common/sweep.c \
	benchmarks/common/sweep.h

# Here and below: no operation of the plain version is fused with another; it is to agree with the kernels.
benchmarks_jacobi_jacobi_SOURCES = \
	$(benchmarks_common) \
	$(benchmarks_sweep) \
	benchmarks/jacobi/jacobi.c \
	benchmarks/jacobi/jacobi.h \
	benchmarks/jacobi/jacobi_copying.c \
	benchmarks/jacobi/jacobi_hetero.c \
	benchmarks/jacobi/jacobi_local.c \
	benchmarks/jacobi/jacobi_plain.c \
	benchmarks/jacobi/jacobi_shared.c \
	benchmarks/jacobi/sweep.c
benchmarks_jacobi_jacobi_CPPFLAGS = $(benchmarks_cppflags)
benchmarks_jacobi_jacobi_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
benchmarks_jacobi_jacobi_LDADD = $(benchmarks_libs)

benchmarks_matmulrow_matmulrow_SOURCES = \
	$(benchmarks_common) \
	benchmarks/common/matrix.c \
	benchmarks/common/matrix.h \
	benchmarks/matmulrow/matmulrow.c \
	benchmarks/matmulrow/matmulrow.h \
	benchmarks/matmulrow/matmulrow_copying.c \
	benchmarks/matmulrow/matmulrow_hetero.c \
	benchmarks/matmulrow/matmulrow_plain.c \
	benchmarks/matmulrow/matmulrow_shared.c
benchmarks_matmulrow_matmulrow_CPPFLAGS = $(benchmarks_cppflags)
benchmarks_matmulrow_matmulrow_LDADD = $(benchmarks_libs)

benchmarks_nbody_nbody_SOURCES = \
	$(benchmarks_common) \
	benchmarks/nbody/nbody.c \
	benchmarks/nbody/nbody.h \
	benchmarks/nbody/nbody_copying.c \
	benchmarks/nbody/nbody_hetero.c \
	benchmarks/nbody/nbody_local.c \
	benchmarks/nbody/nbody_plain.c \
	benchmarks/nbody/nbody_shared.c \
	benchmarks/nbody/sphere.c
benchmarks_nbody_nbody_CPPFLAGS = $(benchmarks_cppflags)
benchmarks_nbody_nbody_LDADD = $(benchmarks_libs)

benchmarks_path_path_SOURCES = \
	$(benchmarks_common) \
	$(benchmarks_strips) \
	benchmarks/common/terrain.c \
	benchmarks/common/terrain.h \
	benchmarks/path/cuts.c \
	benchmarks/path/ground.c \
	benchmarks/path/paint.c \
	benchmarks/path/path.c \
	benchmarks/path/path.h \
	benchmarks/path/path_copying.c \
	benchmarks/path/path_flags.c \
	benchmarks/path/path_frontiers.c \
	benchmarks/path/path_hetero.c \
	benchmarks/path/path_plain.c \
	benchmarks/path/path_shared.c \
	benchmarks/path/pixels.c \
	benchmarks/path/pixels.h \
	benchmarks/path/scene.c \
	benchmarks/path/scene.h \
	benchmarks/path/verify.c \
	examples/hillshade/grid.c \
	examples/hillshade/grid.h \
	examples/output.c \
	examples/output.h
benchmarks_path_path_CPPFLAGS = $(benchmarks_cppflags) -DEXAMPLES='"$(abs_top_srcdir)/examples"'
benchmarks_path_path_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
benchmarks_path_path_LDADD = $(benchmarks_libs)
if HAVE_PNG
benchmarks_path_path_CPPFLAGS += -DHAVE_PNG $(PNG_CFLAGS)
benchmarks_path_path_LDADD += $(PNG_LIBS)
endif

benchmarks_shawa_shawa_SOURCES = \
	$(benchmarks_common) \
	benchmarks/common/terrain.c \
	benchmarks/common/terrain.h \
	benchmarks/shawa/dam.c \
	benchmarks/shawa/film.c \
	benchmarks/shawa/scene.c \
	benchmarks/shawa/scene.h \
	benchmarks/shawa/shawa.c \
	benchmarks/shawa/shawa.h \
	benchmarks/shawa/shawa_copying.c \
	benchmarks/shawa/shawa_hetero.c \
	benchmarks/shawa/shawa_local.c \
	benchmarks/shawa/shawa_plain.c \
	benchmarks/shawa/shawa_shared.c \
	benchmarks/shawa/terrain.c \
	benchmarks/shawa/verify.c \
	benchmarks/shawa/write.c \
	examples/hillshade/grid.c \
	examples/hillshade/grid.h \
	examples/hillshade/picture.c \
	examples/hillshade/picture.h \
	examples/output.c \
	examples/output.h
benchmarks_shawa_shawa_CPPFLAGS = $(benchmarks_cppflags) -DEXAMPLES='"$(abs_top_srcdir)/examples"'
benchmarks_shawa_shawa_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
benchmarks_shawa_shawa_LDADD = $(benchmarks_libs)
if HAVE_PNG
benchmarks_shawa_shawa_CPPFLAGS += -DHAVE_PNG $(PNG_CFLAGS)
benchmarks_shawa_shawa_LDADD += $(PNG_LIBS)
endif

# The plain version is to have the kernel's bits.
benchmarks_stencil7_stencil7_SOURCES = \
	$(benchmarks_common) \
	$(benchmarks_sweep) \
	benchmarks/stencil7/stencil7.c \
	benchmarks/stencil7/stencil7.h \
	benchmarks/stencil7/stencil7_copying.c \
	benchmarks/stencil7/stencil7_hetero.c \
	benchmarks/stencil7/stencil7_local.c \
	benchmarks/stencil7/stencil7_plain.c \
	benchmarks/stencil7/stencil7_shared.c \
	benchmarks/stencil7/sweep.c
benchmarks_stencil7_stencil7_CPPFLAGS = $(benchmarks_cppflags)
benchmarks_stencil7_stencil7_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
benchmarks_stencil7_stencil7_LDADD = $(benchmarks_libs)

# The tool's engine runs its description.
benchmarks_stepocl_stepocl_SOURCES = \
	$(benchmarks_common) \
	$(benchmarks_strips) \
	$(stepocl_reading) \
	$(stepocl_running) \
	benchmarks/stepocl/stepocl.c \
	benchmarks/stepocl/stepocl.h \
	benchmarks/stepocl/stepocl_copying.c \
	benchmarks/stepocl/stepocl_hetero.c \
	benchmarks/stepocl/stepocl_local.c \
	benchmarks/stepocl/stepocl_plain.c \
	benchmarks/stepocl/stepocl_shared.c
benchmarks_stepocl_stepocl_CPPFLAGS = $(benchmarks_cppflags) -I$(top_srcdir) $(EXPAT_CFLAGS)
benchmarks_stepocl_stepocl_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
benchmarks_stepocl_stepocl_LDADD = $(benchmarks_libs) $(EXPAT_LIBS)

benchmarks_summa_summa_SOURCES = \
	$(benchmarks_common) \
	benchmarks/common/matrix.c \
	benchmarks/common/matrix.h \
	benchmarks/summa/summa.c \
	benchmarks/summa/summa.h \
	benchmarks/summa/summa_copying.c \
	benchmarks/summa/summa_hetero.c \
	benchmarks/summa/summa_local.c \
	benchmarks/summa/summa_shared.c
benchmarks_summa_summa_CPPFLAGS = $(benchmarks_cppflags)
benchmarks_summa_summa_LDADD = $(benchmarks_libs)

benchmarks_sloc_sloc_SOURCES = \
	benchmarks/sloc/count.c \
	benchmarks/sloc/count.h \
	benchmarks/sloc/sloc.c \
	benchmarks/sloc/splice.c \
	benchmarks/sloc/splice.h \
	examples/printed.h
benchmarks_sloc_sloc_CPPFLAGS = -I$(top_srcdir)/benchmarks -I$(top_srcdir)/examples
benchmarks_sloc_sloc_LDADD = -lm

benchmarks_overhead_overhead_SOURCES = \
	benchmarks/common/hand.c \
	benchmarks/common/hand.h \
	benchmarks/overhead/arrays.c \
	benchmarks/overhead/bands.c \
	benchmarks/overhead/boxes.c \
	benchmarks/overhead/overhead.c \
	benchmarks/overhead/overhead.h \
	benchmarks/overhead/pair.c \
	benchmarks/overhead/pair.h \
	benchmarks/overhead/raw.c \
	benchmarks/overhead/raw.h \
	benchmarks/common/report.c \
	benchmarks/common/report.h \
	benchmarks/common/sample.c \
	benchmarks/common/sample.h \
	examples/must.h \
	examples/printed.h \
	lib/base/utf8.c \
	lib/base/utf8.h
benchmarks_overhead_overhead_CPPFLAGS = $(benchmarks_cppflags)
benchmarks_overhead_overhead_LDADD = $(benchmarks_libs)

# `make bench`: all of them on all sets of devices, with a page of charts. BUILT is where they are.
report_sources = \
	benchmarks/common/sample.c \
	benchmarks/common/sample.h \
	benchmarks/report/chart.c \
	benchmarks/report/chart.h \
	benchmarks/report/cost.c \
	benchmarks/report/look.c \
	benchmarks/report/page.c \
	benchmarks/report/program.c \
	benchmarks/report/program.h \
	benchmarks/report/report.c \
	benchmarks/report/results.h \
	benchmarks/report/run.c \
	benchmarks/report/sizes.c \
	benchmarks/report/text.c \
	benchmarks/sloc/count.c \
	benchmarks/sloc/count.h \
	benchmarks/sloc/splice.c \
	benchmarks/sloc/splice.h \
	examples/output.c \
	examples/output.h \
	examples/printed.h
if HAVE_JSON
noinst_PROGRAMS += benchmarks/report/report
bench: all
	benchmarks/report/report --calibrate benchmarks/calibration.ini --page benchmarks/report.html
else
bench:
	@echo 'built without jansson: no report' >&2; exit 1
endif
.PHONY: bench
benchmarks_report_report_SOURCES = $(report_sources)
benchmarks_report_report_CPPFLAGS = $(benchmarks_cppflags) -DBUILT='"$(abs_top_builddir)"'
benchmarks_report_report_LDADD = $(JSON_LIBS) -lm
CLEANFILES += benchmarks/report.html benchmarks/calibration.ini

if HAVE_STARPU
noinst_PROGRAMS += benchmarks/overhead/starpu
endif
benchmarks_overhead_starpu_SOURCES = \
	benchmarks/overhead/pair.c \
	benchmarks/overhead/pair.h \
	benchmarks/common/report.c \
	benchmarks/common/report.h \
	benchmarks/common/sample.c \
	benchmarks/common/sample.h \
	benchmarks/overhead/starpu.c \
	benchmarks/overhead/starpu_blocks.c \
	benchmarks/overhead/starpu_side.c \
	benchmarks/overhead/starpu_side.h \
	examples/must.h \
	examples/printed.h \
	lib/base/utf8.c \
	lib/base/utf8.h
benchmarks_overhead_starpu_CPPFLAGS = $(benchmarks_overhead_overhead_CPPFLAGS) $(STARPU_CFLAGS)
benchmarks_overhead_starpu_LDADD = $(benchmarks_overhead_overhead_LDADD) $(STARPU_LIBS)

# It asks the library's own table of routes, and moves boxes as hetero-calibrate does.
benchmarks_routes_routes_SOURCES = \
	benchmarks/common/report.c \
	benchmarks/common/report.h \
	benchmarks/common/sample.c \
	benchmarks/common/sample.h \
	benchmarks/routes/routes.c \
	calibrate/bench.c \
	calibrate/bench.h \
	calibrate/words.c \
	calibrate/words.h \
	examples/must.h \
	examples/printed.h
benchmarks_routes_routes_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/benchmarks -I$(top_srcdir)/calibrate \
	-I$(top_srcdir)/examples
benchmarks_routes_routes_LDADD = libhetero_all.la -lm
if HAVE_JSON
benchmarks_routes_routes_CPPFLAGS += -DHAVE_JSON $(JSON_CFLAGS)
benchmarks_routes_routes_LDADD += $(JSON_LIBS)
endif

benchmarks_routes_opening_SOURCES = \
	benchmarks/common/sample.c \
	benchmarks/common/sample.h \
	benchmarks/routes/opening.c \
	examples/must.h
benchmarks_routes_opening_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/benchmarks -I$(top_srcdir)/examples
benchmarks_routes_opening_LDADD = libhetero.la -lm

benchmarks_scaling_scaling_SOURCES = \
	benchmarks/common/report.c \
	benchmarks/common/report.h \
	benchmarks/common/sample.c \
	benchmarks/common/sample.h \
	benchmarks/scaling/scaling.c \
	examples/hillshade/grid.c \
	examples/hillshade/grid.h \
	examples/hillshade/relief.c \
	examples/hillshade/relief.h \
	examples/must.h \
	examples/output.c \
	examples/output.h \
	examples/printed.h \
	examples/table.c \
	examples/table.h \
	lib/base/utf8.c \
	lib/base/utf8.h
benchmarks_scaling_scaling_CPPFLAGS = $(AM_CPPFLAGS) $(example_cppflags) -I$(top_srcdir)/benchmarks \
	-I$(top_srcdir)/examples
benchmarks_scaling_scaling_LDADD = libhetero.la -lm

benchmark_tests = \
	tests/bench_ep.sh \
	tests/bench_ft.sh \
	tests/bench_jacobi.sh \
	tests/bench_matmulrow.sh \
	tests/bench_nbody.sh \
	tests/bench_path.sh \
	tests/bench_shawa.sh \
	tests/bench_shawa_checks.sh \
	tests/bench_stencil7.sh \
	tests/bench_stepocl.sh \
	tests/bench_summa.sh \
	tests/benchmark_routes.sh \
	tests/benchmarks.sh \
	tests/flat_launches.sh \
	tests/report.sh \
	tests/sloc.sh
TESTS += $(benchmark_tests)
EXTRA_DIST += \
	$(benchmark_tests) \
	tests/benchmarks_common.sh \
	benchmarks/README.md \
	benchmarks/common/product.cl \
	benchmarks/ep/ep.cl \
	benchmarks/ft/ft.cl \
	benchmarks/jacobi/README.md \
	benchmarks/jacobi/jacobi.cl \
	benchmarks/nbody/nbody.cl \
	benchmarks/overhead/instructions.sh \
	benchmarks/overhead/tracing.sh \
	benchmarks/path/README.md \
	benchmarks/path/path.cl \
	benchmarks/results/2026-11-22-epyc-2/overhead.txt \
	benchmarks/results/2026-11-22-epyc-2/starpu.txt \
	benchmarks/results/2026-11-22-epyc-2/report.html \
	benchmarks/results/2026-11-22-epyc-2/report.txt \
	benchmarks/results/2026-11-23-epyc-2/instructions.txt \
	benchmarks/results/2026-11-23-epyc-2/overhead.txt \
	benchmarks/results/2026-11-23-epyc-2/report.html \
	benchmarks/results/2026-11-23-epyc-2/report.txt \
	benchmarks/results/2026-11-23-epyc-2/starpu.txt \
	benchmarks/results/2026-11-23-epyc-2/time.txt \
	benchmarks/results/2026-11-24-epyc-2/report.html \
	benchmarks/results/2026-11-24-epyc-2/report.txt \
	benchmarks/results/2026-11-24-xeon-2/instructions.txt \
	benchmarks/results/2026-11-24-xeon-2/overhead.txt \
	benchmarks/results/2026-11-24-xeon-2/report.html \
	benchmarks/results/2026-11-24-xeon-2/report.txt \
	benchmarks/results/2026-11-24-xeon-2/time.txt \
	benchmarks/results/2026-11-26-epyc-2/report.html \
	benchmarks/results/2026-11-26-epyc-2/report.txt \
	benchmarks/results/2026-11-28-epyc-2/report.html \
	benchmarks/results/2026-11-28-epyc-2/report.txt \
	benchmarks/results/2026-11-26-h200/both.html \
	benchmarks/results/2026-11-26-h200/both.txt \
	benchmarks/results/2026-11-26-h200/calibrate.txt \
	benchmarks/results/2026-11-26-h200/calibration.ini \
	benchmarks/results/2026-11-26-h200/gpu.html \
	benchmarks/results/2026-11-26-h200/gpu.txt \
	benchmarks/results/2026-11-26-h200/machine.svg \
	benchmarks/results/2026-11-26-h200/routes.svg \
	benchmarks/results/2026-11-27-h200/calibrate.txt \
	benchmarks/results/2026-11-27-h200/calibration.ini \
	benchmarks/results/2026-11-27-h200/events.txt \
	benchmarks/results/2026-11-27-h200/gpu.html \
	benchmarks/results/2026-11-27-h200/gpu.txt \
	benchmarks/results/2026-11-27-h200/quickstart.txt \
	benchmarks/results/2026-11-27-h200/routes.svg \
	benchmarks/results/2026-11-28-epyc-2-later/report.html \
	benchmarks/results/2026-11-28-epyc-2-later/report.txt \
	benchmarks/results/2026-11-29-xeon-2/more-rounds.txt \
	benchmarks/results/2026-11-29-xeon-2-evening/report.html \
	benchmarks/results/2026-11-29-xeon-2-evening/report.txt \
	benchmarks/results/2026-11-29-xeon-2-later/report.html \
	benchmarks/results/2026-11-29-xeon-2-later/report.txt \
	benchmarks/results/2026-11-29-xeon-2/report.html \
	benchmarks/results/2026-11-29-xeon-2/report.txt \
	benchmarks/results/2026-11-30-epyc-2/report.html \
	benchmarks/results/2026-11-30-epyc-2/report.txt \
	benchmarks/results/README.md \
	benchmarks/routes/repeat.sh \
	benchmarks/shawa/shawa.cl \
	benchmarks/stencil7/README.md \
	benchmarks/stencil7/stencil7.cl \
	benchmarks/stepocl/README.md
