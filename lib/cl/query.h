/* query.h - what platforms and devices say of themselves. */
#ifndef HETERO_LIB_CL_QUERY_H
#define HETERO_LIB_CL_QUERY_H

#include "cl/cl.h"

/** All platforms, het__alloc'd. No loader entry and no platform give count 0 and HET_OK. */
het_status het__cl_platforms(cl_platform_id **platforms_p, cl_uint *count_p);
/** All devices of a platform, het__alloc'd; a platform without devices gives count 0 and HET_OK. */
het_status het__cl_devices(cl_platform_id platform, cl_device_id **devices_p, cl_uint *count_p);
/** A text property, het__alloc'd, without leading or trailing blanks, clean (utf8.h). */
het_status het__cl_platform_text(cl_platform_id platform, cl_platform_info what, char **text_p);
het_status het__cl_device_text(cl_device_id id, cl_device_info what, char **text_p);

struct het__cl_device_facts {
	cl_device_type type;
	cl_uint compute_units, clock_mhz, base_align_bits;
	cl_uint max_parts; /* CL_DEVICE_PARTITION_MAX_SUB_DEVICES */
	bool can_part_equally, available, compiler;
	size_t max_work_group, max_items[3];
	uint64_t memory_bytes, max_alloc_bytes, local_bytes;
	bool has_double, has_half;
};
/** Asks a device. Properties that the driver does not know are 0 or false. */
het_status het__cl_device_facts(cl_device_id id, struct het__cl_device_facts *facts);

/** What tells a device from others of its kind: "pci 0000:3b:00.0", "uuid 0011...", or "-" where the driver
 *  says neither. Of `bytes` 64 suffice. */
het_status het__cl_device_identity(cl_device_id id, char *text, size_t bytes);

/** Cuts a device into sub-devices of `units` compute units each; *parts_p is het__alloc'd and owns its
 *  sub-devices (het__cl_device_release). HET_ERR_UNSUPPORTED where the driver cannot: its limits are
 *  checked first, because some drivers crash. */
het_status het__cl_device_cut(cl_device_id id, cl_uint units, const char *device, cl_device_id **parts_p,
                              cl_uint *count_p);
void het__cl_device_retain(cl_device_id id);
void het__cl_device_release(cl_device_id id);

/** The device that `id` was cut from; NULL for a root device. */
het_status het__cl_device_parent(cl_device_id id, cl_device_id *parent_p);
/** The devices of a context, het__alloc'd. HET_ERR_HANDLE when it is no context. */
het_status het__cl_context_devices(cl_context context, cl_device_id **devices_p, cl_uint *count_p);

#endif
