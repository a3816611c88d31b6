/* cache.h - built programs on disk.
 *
 * One file per (kernel, source, prelude, options and what the driver adds to them, platform, device, driver,
 * library version), named by a 128-bit hash of them and holding them in full, with the signature, the binary
 * and a checksum. A file that does not check out is treated as missing and replaced. Files are written under a
 * temporary name and renamed, so many processes may share a folder. When the files together are larger than
 * $HETERO_CACHE_MIB (256 unless set), the least recently used go, until they are a quarter below it; files of
 * other names in the folder stay. Programs that include files or say __TIME__ are not kept:
 * the key would not see that.
 *
 * It pays on every driver tried, one that has a cache of its own included. Milliseconds from source to
 * kernel in a new process, on two cores: PoCL 3.1 500-1300 (35-85 with its own cache warm) against 2-9 from
 * here, and once 70-140 for the binary; rusticl 22.3 2-18 against 0.5; Oclgrind 21.10 10-57 against 1.
 */
#ifndef HETERO_LIB_KERNEL_CACHE_H
#define HETERO_LIB_KERNEL_CACHE_H

#include "kernel/kernel.h"

struct het__cache_key {
	const char *kernel, *source, *options, *platform, *device, *driver;
	const char *prelude; /* NULL where the source does not ask for it */
	const char *added;   /* to the options, by the driver; NULL: nothing */
};

struct het__cache_entry {
	void *binary;                     /* het__alloc'd */
	size_t binary_bytes;
	struct het__signature *signature; /* het__alloc'd */
};

/** True, and *entry filled, when `folder` has a valid entry for the key. Else false, with the reason in the log
 *  at debug level ("kernel" topic). */
bool het__cache_load(struct het__logger *logger, const char *folder, const struct het__cache_key *key,
                     struct het__cache_entry *entry);

/** Keeps an entry. False when that did not work: logged at level `trouble`, and otherwise harmless. */
bool het__cache_store(struct het__logger *logger, enum het_log_level trouble, const char *folder,
                      const struct het__cache_key *key, const struct het__cache_entry *entry);

#endif
