/* discover.h - what the machine offers, before anything is chosen. Private to lib/system. */
#ifndef HETERO_LIB_SYSTEM_DISCOVER_H
#define HETERO_LIB_SYSTEM_DISCOVER_H

#include "system/system.h"

struct het__found_platform {
	cl_platform_id id;
	char *name;                /* as the driver has it */
	char *label;               /* unique and short, in stable names: "pocl", "pocl-2" */
	char *trouble;             /* why its devices are not known; NULL: they are */
	const struct het__driver *driver;
};

struct het__found_device {
	cl_device_id id;
	int platform;              /* its place in the list of platforms */
	const char *kind;          /* "cpu", "gpu", "accelerator", "other": static text */
	char *name;                /* stable: "pocl:cpu0" */
	char *hardware;
	bool usable;               /* available, and has a compiler */
	struct het__cl_device_facts facts;
};

/** Platforms and root devices in the loader's order; a platform's devices stand together. */
struct het__found {
	struct het__found_platform *platforms;
	int platform_count, platform_room;
	struct het__found_device *devices;
	int device_count, device_room;
};

/** Asks every platform. One that does not answer is logged and has its `trouble`, and no device. Fails only
 *  when the loader does or without memory; then there is nothing to free. */
het_status het__discover(struct het__logger *logger, struct het__found *found);

/** After het__discover: was this process forked from one in which the drivers had come up? */
bool het__drivers_came_up_elsewhere(void);
void het__found_free(struct het__found *found);

/** A link of the chain from loader to hardware. */
enum het__link {
	HET__LINK_GOOD,
	HET__LINK_EMPTY,  /* a driver that works and has no device here */
	HET__LINK_BROKEN,
};
#define HET__LINK_BYTES 1500 /* of the text about one */
typedef void het__tell_link(void *user, enum het__link state, const char *text);

/** Looks at every link again and tells of it, in words. Devices that can be used are passed over. */
void het__look_at_chain(const struct het__found *found, het__tell_link *tell, void *user);

/** Says of a platform without devices why it has none, as far as that is known, and what may help. */
void het__platform_trouble(const struct het__found_platform *platform, char text[HET__LINK_BYTES]);

/** HET_ERR_NO_DEVICE with a text that says which link is missing: no vendor file, a library that does not
 *  load, a platform without devices, a device file without permission. */
het_status het__no_device(const struct het__found *found);

#endif
