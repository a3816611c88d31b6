/* seat.c - seats of devices: a list for all of the process. */
#include "system/seat.h"

#include <stdio.h>
#include <string.h>

/* Taken after any system's lock; nothing is called with it. */
static pthread_mutex_t seats_lock = PTHREAD_MUTEX_INITIALIZER;
static het_device *seated; /* by their seats */

/* A thread that is not here may have held the lock when it was forked. */
void het__seats_forget(void)
{
	seats_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	seated = NULL;
}

void het__seat_take(het_device *device)
{
	het_device **at = &seated;

	device->seat = -1;
	if (!device->driver->pairs_only)
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

void het__pair_option(const het_device *device, char option[HET__PAIR_BYTES])
{
	const int pair = het__pair_of(device);

	*option = '\0';
	if (pair)
		snprintf(option, HET__PAIR_BYTES, "-DHETERO__PAIR=%d", pair);
}
