/* platforms.h - the OpenCL platforms that tests run on, and a folder of their own. */
#ifndef HETERO_TESTS_PLATFORMS_H
#define HETERO_TESTS_PLATFORMS_H

#include <stdbool.h>
#include <stddef.h>

/** Makes this process and its children see every platform that is installed: the system's, Oclgrind's (which
 *  Debian keeps out of the vendors folder) and Mesa's llvmpipe; and gives them an empty HETERO_CACHE. Call
 *  it first thing in main, before anything of OpenCL. Ends the program when that cannot be done. */
void het_test_platforms(void);

/** Makes this process and its children see the fake driver alone, as the machine of this name: a file of
 *  tests/fakecl/machines, or, with a '/', any file. False, with the reason on stderr, where it is not built.
 *  het_test_platforms does so where HETERO_TEST_FAKE names a machine. */
bool het_test_fake_driver(const char *machine);

/** Are there such devices? Tried in a process of its own: nothing of OpenCL may happen before
 *  tests are forked. After het_test_platforms. */
bool het_test_is_there(const char *selection);

/** Compute units of the first device of the platform whose name begins so, as OpenCL says; 0 where there is
 *  none: whether something can be tested is not for the library to say. In a test; and in a process of its own,
 *  where nothing of OpenCL may happen yet: 127 where there are more. */
unsigned het_test_units(const char *platform);
unsigned het_test_units_aside(const char *platform);
#define HET_TEST_POCL "Portable Computing Language"

/** Does the driver that on_cpu and het_test_selection name have a device that can be cut? Known of PoCL's. */
bool het_test_can_cut(void);

/** Writes a selection of CPU devices, such as "cpu/1", of the driver that tests run on: PoCL, or the one that
 *  $HETERO_TEST_DRIVER names. Where that has a colon ("nvidia:gpu0,pocl:cpu0.0") it is a selection itself, and
 *  taken whatever is asked for. `others` goes behind it; may be empty. */
void het_test_selection(char *selection, size_t bytes, const char *devices, const char *others);

/** A temporary folder of this test program, removed with all it holds when the program ends. */
const char *het_test_folder(void);

/** Writes a file in the temporary folder; `name` may hold folders, which are made. Returns its path, which
 *  is valid until the next call. */
const char *het_test_file(const char *name, const char *text);

/** Makes an empty folder in the temporary folder and returns its path, valid until the next call. */
const char *het_test_subfolder(const char *name);

#endif
