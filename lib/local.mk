# lib/local.mk - the library. A room includes only from the floors below it.

# The rooms, lowest floor first.
base_sources = \
	lib/base/alloc.c \
	lib/base/alloc.h \
	lib/base/answer.c \
	lib/base/answer.h \
	lib/base/at_end.c \
	lib/base/at_end.h \
	lib/base/cl_code.c \
	lib/base/callback.c \
	lib/base/callback.h \
	lib/base/clock.c \
	lib/base/clock.h \
	lib/base/env.c \
	lib/base/env.h \
	lib/base/error.c \
	lib/base/error.h \
	lib/base/file.c \
	lib/base/file.h \
	lib/base/folder.c \
	lib/base/folder.h \
	lib/base/fork.c \
	lib/base/fork.h \
	lib/base/format.c \
	lib/base/format.h \
	lib/base/log.c \
	lib/base/log.h \
	lib/base/status.c \
	lib/base/text.c \
	lib/base/text.h \
	lib/base/thread.c \
	lib/base/thread.h \
	lib/base/type.c \
	lib/base/type.h \
	lib/base/stray.c \
	lib/base/stray.h \
	lib/base/utf8.c \
	lib/base/utf8.h \
	lib/base/valgrind.h

box_sources = \
	lib/box/box.c \
	lib/box/box.h \
	lib/box/plan.c \
	lib/box/plan.h

cl_sources = \
	lib/cl/buffer.c \
	lib/cl/check.c \
	lib/cl/check.h \
	lib/cl/cl.h \
	lib/cl/clock.c \
	lib/cl/command.c \
	lib/cl/context.c \
	lib/cl/event.c \
	lib/cl/kernel.c \
	lib/cl/map.c \
	lib/cl/program.c \
	lib/cl/query.c \
	lib/cl/query.h \
	lib/cl/transfer.c

calibration_sources = \
	lib/calibration/calibration.h \
	lib/calibration/decide.c \
	lib/calibration/file.h \
	lib/calibration/keep.c \
	lib/calibration/model.c \
	lib/calibration/read.c \
	lib/calibration/scan.c \
	lib/calibration/scan.h \
	lib/calibration/write.c

system_sources = \
	lib/system/adopt.c \
	lib/system/calibration.c \
	lib/system/close.c \
	lib/system/device.c \
	lib/system/discover.c \
	lib/system/discover.h \
	lib/system/driver.c \
	lib/system/flow.c \
	lib/system/flow.h \
	lib/system/handle.c \
	lib/system/handle.h \
	lib/system/info.c \
	lib/system/missing.c \
	lib/system/open.c \
	lib/system/prepare.h \
	lib/system/proof.c \
	lib/system/proof.h \
	lib/system/seat.c \
	lib/system/seat.h \
	lib/system/select.c \
	lib/system/select.h \
	lib/system/setup.c \
	lib/system/setup.h \
	lib/system/system.h \
	lib/system/trial.c \
	lib/system/trial.h \
	lib/system/untold.c \
	lib/system/untold.h \
	lib/system/verdict.c \
	lib/system/verdict.h \
	lib/system/watch.h

task_sources = \
	lib/task/check.c \
	lib/task/emit.c \
	lib/task/emit.h \
	lib/task/end.c \
	lib/task/ending.c \
	lib/task/function.c \
	lib/task/inside.h \
	lib/task/lane.c \
	lib/task/overdue.c \
	lib/task/progress.c \
	lib/task/quiet.c \
	lib/task/slot.c \
	lib/task/task.c \
	lib/task/task.h

kernel_sources = \
	lib/kernel/cache.c \
	lib/kernel/cache.h \
	lib/kernel/kernel.c \
	lib/kernel/kernel.h \
	lib/kernel/own_types.c \
	lib/kernel/own_types.h \
	lib/kernel/pace.c \
	lib/kernel/pace.h \
	lib/kernel/prelude.c \
	lib/kernel/program.c \
	lib/kernel/signature.c \
	lib/kernel/signature.h \
	lib/kernel/source.c \
	lib/kernel/source.h \
	lib/kernel/wording.c \
	lib/kernel/wording.h

store_sources = \
	lib/store/block.c \
	lib/store/block.h \
	lib/store/buckets.c \
	lib/store/buckets.h \
	lib/store/hazard.c \
	lib/store/pin.c \
	lib/store/pin.h \
	lib/store/staging.c \
	lib/store/staging.h

route_sources = \
	lib/route/choose.c \
	lib/route/choose.h \
	lib/route/chunked.c \
	lib/route/copy.c \
	lib/route/mapped.c \
	lib/route/mapped.h \
	lib/route/pack.c \
	lib/route/pinned.c \
	lib/route/repack.c \
	lib/route/route.c \
	lib/route/route.h \
	lib/route/send.c \
	lib/route/staged.c \
	lib/route/tell.c

array_sources = \
	lib/array/array.c \
	lib/array/array.h \
	lib/array/audit.c \
	lib/array/audit.h \
	lib/array/carry.c \
	lib/array/carry.h \
	lib/array/check.c \
	lib/array/copy.c \
	lib/array/directory.c \
	lib/array/directory.h \
	lib/array/entries.c \
	lib/array/entries.h \
	lib/array/former.c \
	lib/array/former.h \
	lib/array/guest.c \
	lib/array/guest.h \
	lib/array/inside.h \
	lib/array/io.c \
	lib/array/make.c \
	lib/array/map.c \
	lib/array/move.c \
	lib/array/place.c \
	lib/array/promised.c \
	lib/array/promised.h \
	lib/array/room.c \
	lib/array/through.c \
	lib/array/tidy.c \
	lib/array/unmodified.c \
	lib/array/value.c \
	lib/array/value.h \
	lib/array/window.c \
	lib/array/window.h

launch_sources = \
	lib/launch/args.c \
	lib/launch/args.h \
	lib/launch/as_two.c \
	lib/launch/as_two.h \
	lib/launch/balance.c \
	lib/launch/batch.c \
	lib/launch/batch.h \
	lib/launch/beside.c \
	lib/launch/beside.h \
	lib/launch/call.c \
	lib/launch/combine.c \
	lib/launch/combine.h \
	lib/launch/counted.c \
	lib/launch/counted.h \
	lib/launch/cut.c \
	lib/launch/cut.h \
	lib/launch/edges.c \
	lib/launch/edges.h \
	lib/launch/kept_cut.c \
	lib/launch/kept_cut.h \
	lib/launch/fill.c \
	lib/launch/fit.c \
	lib/launch/give.c \
	lib/launch/give.h \
	lib/launch/halves.c \
	lib/launch/halves.h \
	lib/launch/launch.c \
	lib/launch/launch.h \
	lib/launch/mapper.c \
	lib/launch/mapper.h \
	lib/launch/range.c \
	lib/launch/range.h \
	lib/launch/rehearse.c \
	lib/launch/rehearse.h \
	lib/launch/shadow.c \
	lib/launch/shadow.h \
	lib/launch/reduce.c \
	lib/launch/reducer.c \
	lib/launch/spread.c \
	lib/launch/team.c \
	lib/launch/team.h \
	lib/launch/trial.c \
	lib/launch/trial.h \
	lib/launch/worth.c \
	lib/launch/worth.h

trace_sources = \
	lib/trace/flow.c \
	lib/trace/maker.c \
	lib/trace/pause.c \
	lib/trace/span.c \
	lib/trace/stats.c \
	lib/trace/table.c \
	lib/trace/timeline.c \
	lib/trace/timeline.h \
	lib/trace/watch.c \
	lib/trace/watcher.h \
	lib/trace/words.c

# Everything is compiled once, into a convenience library in which tests see the internal symbols too.
# The installed libraries are made of it; the shared one shows only what is marked HET_API.
noinst_LTLIBRARIES += libhetero_all.la
libhetero_all_la_LIBTOOLFLAGS = --tag=disable-static
libhetero_all_la_CFLAGS = $(AM_CFLAGS) $(HET_VISIBILITY_FLAGS)
libhetero_all_la_CPPFLAGS = $(AM_CPPFLAGS) -Ilib -DHETERO_SYSCONFDIR='"$(sysconfdir)"'
libhetero_all_la_LIBADD = $(OPENCL_LIBS) $(INIPARSER_LIBS)
libhetero_all_la_SOURCES = \
	$(base_sources) \
	$(box_sources) \
	$(cl_sources) \
	$(calibration_sources) \
	$(system_sources) \
	$(task_sources) \
	$(kernel_sources) \
	$(store_sources) \
	$(route_sources) \
	$(array_sources) \
	$(launch_sources) \
	$(trace_sources)

lib_LTLIBRARIES += libhetero.la
libhetero_la_SOURCES =
libhetero_la_LIBADD = libhetero_all.la
libhetero_la_LDFLAGS = $(AM_LDFLAGS) -version-info $(HET_ABI) -no-undefined

include_HEADERS = include/hetero.h include/hetero.hpp
topicdir = $(includedir)/hetero
topic_HEADERS = \
	include/hetero/api.h \
	include/hetero/array.h \
	include/hetero/kernel.h \
	include/hetero/launch.h \
	include/hetero/opencl.h \
	include/hetero/shape.h \
	include/hetero/spread.h \
	include/hetero/status.h \
	include/hetero/system.h

# What kernels include stands in the library as a string.
topic_DATA = include/hetero/het.clh
EXTRA_DIST += include/hetero/het.clh
CLEANFILES += lib/kernel/prelude.inc
$(libhetero_all_la_OBJECTS): | lib/kernel/prelude.inc
lib/kernel/prelude.inc: include/hetero/het.clh
	$(AM_V_GEN)$(MKDIR_P) lib/kernel && \
	sed 's/[\\"]/\\&/g; s/^/"/; s/$$/\\n"/' $(top_srcdir)/include/hetero/het.clh > $@.tmp && mv $@.tmp $@

pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = hetero.pc
EXTRA_DIST += lib/ABI
