/* platforms.h - the OpenCL platforms that tests run on, and a folder of their own. */
#ifndef HETERO_TESTS_PLATFORMS_H
#define HETERO_TESTS_PLATFORMS_H

/** Makes this process and its children see every platform that is installed: the system's, Oclgrind's (which
 *  Debian keeps out of the vendors folder) and Mesa's llvmpipe; and gives them an empty HETERO_CACHE. Call
 *  it first thing in main, before anything of OpenCL. Ends the program when that cannot be done. */
void het_test_platforms(void);

/** A temporary folder of this test program, removed with all it holds when the program ends. */
const char *het_test_folder(void);

/** Writes a file in the temporary folder; `name` may hold folders, which are made. Returns its path, which
 *  is valid until the next call. */
const char *het_test_file(const char *name, const char *text);

/** Makes an empty folder in the temporary folder and returns its path, valid until the next call. */
const char *het_test_subfolder(const char *name);

#endif
