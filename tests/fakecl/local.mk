# tests/fakecl/local.mk - the fake OpenCL driver, which the loader finds through a one-line .icd file that tests
# write (platforms.c). Kernels are linked against it: the functions of OpenCL C are exported beside the driver's
# two entry points.

check_LTLIBRARIES = tests/fakecl/libfakecl.la

tests_fakecl_libfakecl_la_SOURCES = \
	tests/fakecl/calls.h \
	tests/fakecl/compile.c \
	tests/fakecl/context.c \
	tests/fakecl/control.c \
	tests/fakecl/describe.c \
	tests/fakecl/device.c \
	tests/fakecl/event.c \
	tests/fakecl/execute.c \
	tests/fakecl/fake.h \
	tests/fakecl/fakecl.h \
	tests/fakecl/fault.c \
	tests/fakecl/files.c \
	tests/fakecl/fresh.c \
	tests/fakecl/icd.c \
	tests/fakecl/kernel.c \
	tests/fakecl/machine.c \
	tests/fakecl/map.c \
	tests/fakecl/mapped.c \
	tests/fakecl/memory.c \
	tests/fakecl/null.c \
	tests/fakecl/object.c \
	tests/fakecl/platform.c \
	tests/fakecl/program.c \
	tests/fakecl/queue.c \
	tests/fakecl/report.c \
	tests/fakecl/schedule.c \
	tests/fakecl/transfer.c

# -rpath makes a shared library of what is never installed.
tests_fakecl_libfakecl_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath /nowhere \
	-export-symbols-regex '^(clIcdGetPlatformIDsKHR|clGetExtensionFunctionAddress|_Z.*)$$'
tests_fakecl_libfakecl_la_LIBADD = -lm -ldl
EXTRA_DIST += \
	tests/fakecl/machines/big-card.machine \
	tests/fakecl/machines/cut-cpu.machine \
	tests/fakecl/machines/early-card.machine \
	tests/fakecl/machines/five-devices.machine \
	tests/fakecl/machines/one-context.machine \
	tests/fakecl/machines/odd-names.machine \
	tests/fakecl/machines/one-gpu.machine \
	tests/fakecl/machines/small-buffers.machine \
	tests/fakecl/machines/small-cards.machine \
	tests/fakecl/machines/small-mixed.machine \
	tests/fakecl/machines/small-neighbours.machine \
	tests/fakecl/machines/three-cards.machine \
	tests/fakecl/machines/three-platforms.machine \
	tests/fakecl/machines/two-gpus.machine \
	tests/fakecl/machines/two-platforms.machine
