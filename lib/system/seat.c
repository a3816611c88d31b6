/* seat.c - seats of devices, and who runs which binary: lists for all of the process. */
#include "system/seat.h"

#include <stdio.h>
#include <string.h>

/* Taken after any system's lock; nothing is called with it. */
static pthread_mutex_t seats_lock = PTHREAD_MUTEX_INITIALIZER;
static het_device *seated; /* by their seats */
static struct het__claim *claims;

/* ---- seats ------------------------------------------------------------------------------------- */

void het__seat_take(het_device *device)
{
	het_device **at = &seated;

	device->seat = -1;
	if (!device->driver->programs_apart)
		return;
	pthread_mutex_lock(&seats_lock);
	for (device->seat = 0; *at && (*at)->seat == device->seat; at = &(*at)->next_seated)
		device->seat++;
	device->next_seated = *at;
	*at = device;
	pthread_mutex_unlock(&seats_lock);
}

void het__seat_leave(het_device *device)
{
	het_device **at = &seated;

	if (device->seat < 0)
		return;
	pthread_mutex_lock(&seats_lock);
	while (*at && *at != device)
		at = &(*at)->next_seated;
	if (*at)
		*at = device->next_seated;
	pthread_mutex_unlock(&seats_lock);
}

void het__seat_option(const het_device *device, char option[HET__SEAT_BYTES])
{
	*option = '\0';
	if (device->seat > 0)
		snprintf(option, HET__SEAT_BYTES, "-DHETERO__SEAT=%d", device->seat);
}

/* ---- binaries ---------------------------------------------------------------------------------- */

static struct het__claim claim_of(int seat, const void *binary, size_t bytes)
{
	struct het__claim claim = {.seat = seat};

	claim.bytes = bytes < HET__BINARY_HEAD ? bytes : HET__BINARY_HEAD;
	memcpy(claim.head, binary, claim.bytes);
	return claim;
}

/* With seats_lock. */
static void enlist(struct het__claim *claim)
{
	claim->next = claims;
	claims = claim;
}

static bool is_same_program(const struct het__claim *a, const struct het__claim *b)
{
	return a->bytes == b->bytes && memcmp(a->head, b->head, a->bytes) == 0;
}

/* With seats_lock. */
static bool is_of_other_seat(const struct het__claim *claim)
{
	for (const struct het__claim *c = claims; c; c = c->next)
		if (c->seat != claim->seat && is_same_program(c, claim))
			return true;
	return false;
}

bool het__claim_take(struct het__claim *claim, const het_device *device, const void *binary, size_t bytes)
{
	bool taken;

	if (device->seat < 0)
		return true;
	*claim = claim_of(device->seat, binary, bytes);
	pthread_mutex_lock(&seats_lock);
	taken = is_of_other_seat(claim);
	if (taken)
		claim->bytes = 0;
	else
		enlist(claim);
	pthread_mutex_unlock(&seats_lock);
	return !taken;
}

void het__claim_leave(struct het__claim *claim)
{
	struct het__claim **at = &claims;

	if (!claim->bytes)
		return;
	pthread_mutex_lock(&seats_lock);
	while (*at && *at != claim)
		at = &(*at)->next;
	if (*at)
		*at = claim->next;
	pthread_mutex_unlock(&seats_lock);
	claim->bytes = 0;
}
