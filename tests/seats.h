/* seats.h - every place where a test of the OpenCL layer can run: devices, and parts of devices. */
#ifndef HETERO_TESTS_SEATS_H
#define HETERO_TESTS_SEATS_H

#include "cl/query.h"

struct seat {
	cl_platform_id platform;
	cl_device_id id;
	char name[192];
	struct het__cl_device_facts facts;
	cl_context context;
	struct het__queue queue; /* with profiling */
};

/** Calls `fn` for every device that OpenCL shows, and for the last part of each that can be cut. Fails the
 *  test when there is none. */
void everywhere(void (*fn)(struct seat *seat));

/** Fails the test with the library's message unless the call succeeded. */
void ok(het_status status);

/** Waits until a command has succeeded, and releases its event. */
void finish(struct seat *seat, cl_event event);

/** The plan of one run. */
struct het__plan run_of(size_t a_offset, size_t b_offset, size_t bytes);

/** Writes or reads the first bytes of a buffer, and waits. */
void put(struct seat *seat, cl_mem mem, const void *bytes, size_t count);
void get(struct seat *seat, cl_mem mem, void *bytes, size_t count);

/** Builds a program that is right. */
cl_program build(struct seat *seat, const char *text, const char *options);

static const struct het__after nothing = {0, NULL};

#endif
