/* team.c - teams: made, asked, ended. */

#include "launch/combine.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

/* ---- the room ----------------------------------------------------------------------------------- */

static void free_team(het_team *team)
{
	if (team->prev)
		team->prev->next = team->next;
	else
		((struct het__spreads *)team->system->room[HET__ROOM_LAUNCH].state)->first = team->next;
	if (team->next)
		team->next->prev = team->prev;
	het__free(team->balance);
	team->balance = NULL;
	team->balance_count = 0;
	het__bury(team->system, team);
}

static void free_room(het_system *system)
{
	struct het__spreads *const room = system->room[HET__ROOM_LAUNCH].state;

	while (room->first)
		free_team(room->first);
	het__reducers_free(room->reducers);
	het__free(room->rows); /* their arrays go with the room of arrays */
	het__free(room);
	system->room[HET__ROOM_LAUNCH].state = NULL;
}

het_status het__spreads_of(het_system *system, struct het__spreads **spreads_p)
{
	struct het__room_state *const room = &system->room[HET__ROOM_LAUNCH];

	if (!room->state) {
		room->state = het__alloc_zeroed(1, sizeof(struct het__spreads));
		if (!room->state)
			return het__fail(HET_ERR_MEMORY, "no host memory for teams");
		room->free = free_room;
	}
	*spreads_p = room->state;
	return HET_OK;
}

/* ---- shares ------------------------------------------------------------------------------------- */

static void copy_shares(het_team *team, const double *share)
{
	double sum = 0;

	for (int i = 0; i < team->count; i++)
		sum += share[i];
	for (int i = 0; i < team->count; i++)
		team->share[i] = share[i] / sum;
	team->balance_count = 0;
	team->by_bandwidth = false;
	team->unmeasured = NULL;
	team->worth.length = 0;
}

static het_status check_shares(const double *share, int count, const char *what)
{
	double sum = 0;

	for (int i = 0; i < count; i++) {
		if (!(share[i] >= 0) || !isfinite(share[i]))
			return het__fail(HET_ERR_ARGUMENT, "%s: share %d is %g", what, i, share[i]);
		sum += share[i];
	}
	if (!(sum > 0) || !isfinite(sum))
		return het__fail(HET_ERR_ARGUMENT, "%s: the sum of the shares is %g", what, sum);
	return HET_OK;
}

const struct het__cal_figure *het__team_figure(const het_device *device, enum het__cal_figures which)
{
	const struct het__calibration *const calibration = device->system->calibration;
	const struct het__cal_figure *figure;

	if (!calibration || device->known <= 0)
		return NULL;
	figure = &calibration->device[device->known - 1].figure[which];
	return figure->known && figure->value > 0 ? figure : NULL;
}

static const struct het__cal_device *measured(const het_device *device)
{
	return &device->system->calibration->device[device->known - 1];
}

/* Devices of one kind are equally fast: where their figures differ, the machine did something else beside while
 * it measured one of them. What a user says counts as it is. All have the figure. */
static double mean_of_its_kind(const het_team *team, enum het__cal_figures which, const het_device *device)
{
	const struct het__cal_figure *const own = het__team_figure(device, which);
	double sum = 0;
	int count = 0;

	if (own->origin == HET__CAL_USER)
		return (double)own->value;
	for (int i = 0; i < team->count; i++) {
		const het_device *const other = team->device[i];
		const struct het__cal_figure *const figure = het__team_figure(other, which);

		if (figure->origin == HET__CAL_USER ||
		    device->facts.compute_units != other->facts.compute_units ||
		    !het__cal_is_of_a_kind(measured(device), measured(other)))
			continue;
		sum += (double)figure->value;
		count++;
	}
	return sum / count;
}

static bool are_alike(const het_team *team)
{
	for (int i = 1; i < team->count; i++)
		if (strcmp(team->device[i]->platform, team->device[0]->platform) != 0 ||
		    strcmp(team->device[i]->hardware, team->device[0]->hardware) != 0)
			return false;
	return true;
}

static enum het__cal_figures figure_for(enum het_share_by by)
{
	if (by == HET_BY_COMPUTE)
		return HET__CAL_SINGLE_FLOP_PER_S;
	return by == HET_BY_COMPUTE_DOUBLE ? HET__CAL_DOUBLE_FLOP_PER_S : HET__CAL_TRIAD_BYTES_PER_S;
}

/* Where some device was not measured, compute units count for all. */
static void share_by(het_team *team, enum het_share_by by)
{
	const enum het__cal_figures which = figure_for(by);
	const het_device *unmeasured = NULL;
	double share[HET__TEAM_MOST] = {0};

	for (int i = team->count - 1; i >= 0; i--)
		if (!het__team_figure(team->device[i], which))
			unmeasured = team->device[i];
	for (int i = 0; i < team->count; i++) {
		const unsigned units = team->device[i]->facts.compute_units;

		share[i] = !unmeasured ? mean_of_its_kind(team, which, team->device[i]) : units ? units : 1;
	}
	copy_shares(team, share);
	team->by_bandwidth = !unmeasured && by == HET_BY_BANDWIDTH;
	team->unmeasured = are_alike(team) ? NULL : unmeasured;
}

void het__team_tell_guess_now(het_team *team)
{
	const het_system *const system = team->system;

	het__log(system->logger, system->calibration_off ? HET_LOG_INFO : HET_LOG_WARN, "spread",
		 "the shares of %d unlike devices are those of their compute units, which says little: nothing "
		 "was measured of %s; run hetero-calibrate, or give shares (het_team_new, het_team_rebalance)",
		 team->count, team->unmeasured->name);
	team->unmeasured = NULL;
}

/* ---- teams -------------------------------------------------------------------------------------- */

static het_status check_device(het_system *system, het_device *const *devices, int i)
{
	het_status st = devices[i] ? het__device_check(devices[i], "het_team_new")
				   : het__fail(HET_ERR_HANDLE, "het_team_new: device %d is NULL", i);

	if (!st && devices[i]->system != system)
		st = het__fail(HET_ERR_HANDLE, "het_team_new: %s is of another system", devices[i]->name);
	for (int j = 0; j < i && !st; j++) {
		if (devices[j] == devices[i])
			st = het__fail(HET_ERR_ARGUMENT, "het_team_new: %s is there twice", devices[i]->name);
		else if (devices[j]->is_part != devices[i]->is_part && devices[j]->root == devices[i]->root)
			st = het__fail(HET_ERR_ARGUMENT,
				       "het_team_new: of %s and %s one is a part of the other",
				       devices[j]->name, devices[i]->name);
	}
	return st;
}

static het_status check_new(het_system *system, int count, het_device *const *devices, const double *shares,
			    het_team **team_p)
{
	het_status st = het__system_check(system, "het_team_new");

	if (!st && (!devices || !team_p))
		st = het__fail(HET_ERR_ARGUMENT, "het_team_new: %s is NULL", devices ? "team_p" : "devices");
	if (!st && (count < 1 || count > HET__TEAM_MOST))
		st = het__fail(HET_ERR_ARGUMENT, "het_team_new: %d devices; 1 to %d are possible", count,
			       HET__TEAM_MOST);
	for (int i = 0; i < count && !st; i++)
		st = check_device(system, devices, i);
	return st || !shares ? st : check_shares(shares, count, "het_team_new");
}

/* With the lock. */
static het_status make(het_system *system, int count, het_device *const *devices, const double *shares,
		       het_team **team_p)
{
	struct het__spreads *room = NULL;
	het_status st = het__spreads_of(system, &room);
	het_team *team;

	if (st)
		return st;
	team = het__alloc_zeroed(1, sizeof *team);
	if (!team)
		return het__fail(HET_ERR_MEMORY, "no host memory for a team");
	team->magic = HET__MAGIC_TEAM;
	team->system = system;
	team->count = count;
	team->overlap = HET_OVERLAP_PREDICTED;
	for (int i = 0; i < count; i++)
		team->device[i] = devices[i];
	if (shares)
		copy_shares(team, shares);
	else
		share_by(team, HET_BY_BANDWIDTH);
	team->next = room->first;
	if (room->first)
		room->first->prev = team;
	room->first = team;
	*team_p = team;
	return HET_OK;
}

het_status het_team_new(het_system *system, int count, het_device *const *devices, const double *shares,
			het_team **team_p)
{
	het_status st = check_new(system, count, devices, shares, team_p);

	if (!st)
		st = het__enter(system, "het_team_new");
	if (st)
		return het__refuse(system, st);
	st = make(system, count, devices, shares, team_p);
	return het__leave_with(system, st);
}

/* Has the system parts of this device, too? */
static bool is_cut(const het_system *system, const het_device *device)
{
	for (int i = 0; i < system->device_count; i++)
		if (!device->is_part && system->devices[i]->is_part && system->devices[i]->root == device->root)
			return true;
	return false;
}

static het_team *everyone(het_system *system)
{
	het_device *device[HET__TEAM_MOST];
	struct het__spreads *room = NULL;
	int count = 0;

	if (het__spreads_of(system, &room))
		return NULL;
	if (room->everyone)
		return room->everyone;
	for (int i = 0; i < system->device_count && count < HET__TEAM_MOST; i++)
		if (!is_cut(system, system->devices[i]))
			device[count++] = system->devices[i];
	if (make(system, count, device, NULL, &room->everyone))
		return NULL;
	room->everyone->is_systems = true;
	return room->everyone;
}

het_team *het_everyone(het_system *system)
{
	het_team *team;

	if (het__enter(system, "het_everyone"))
		return NULL;
	team = everyone(system);
	(void)het__leave_with(system, team ? HET_OK : HET_ERR_MEMORY);
	return team;
}

static het_team *alone(het_device *device)
{
	struct het__spreads *room = NULL;
	het_team *team;

	if (het__spreads_of(device->system, &room))
		return NULL;
	for (team = room->first; team; team = team->next)
		if (team->is_alone && team->device[0] == device)
			return team;
	if (make(device->system, 1, &device, NULL, &team))
		return NULL;
	team->is_systems = team->is_alone = true;
	return team;
}

het_team *het_alone(het_device *device)
{
	het_status st = het__device_check(device, "het_alone");
	het_team *team;

	if (!st)
		st = het__enter(device->system, "het_alone");
	if (st) {
		(void)het__device_refuse(device, st);
		return NULL;
	}
	team = alone(device);
	(void)het__leave_with(device->system, team ? HET_OK : HET_ERR_MEMORY);
	return team;
}

het_status het__team_check(const het_team *team, const char *what)
{
	if (!team || team->magic != HET__MAGIC_TEAM)
		return het__complain_of(team, "team", "freed, or none", what);
	return het__system_check(team->system, what);
}

het_status het__team_enter(het_team *team, const char *what)
{
	het_system *const system = team->system;
	het_status st = het__enter(system, what);

	if (st)
		return st;
	st = het__team_check(team, what);
	return st ? het__leave_with(system, st) : HET_OK;
}

het_status het__team_refuse(const het_team *team, het_status status)
{
	return het__refuse(team && team->magic == HET__MAGIC_TEAM ? team->system : NULL, status);
}

het_status het_team_free(het_team *team)
{
	het_status st = team ? het__team_check(team, "het_team_free") : HET_OK;
	het_system *system;

	if (st || !team || team->is_systems)
		return st;
	system = team->system;
	st = het__team_enter(team, "het_team_free");
	if (st)
		return st;
	free_team(team);
	het__leave(system);
	return HET_OK;
}

int het_team_count(const het_team *team)
{
	return team && team->magic == HET__MAGIC_TEAM ? team->count : 0;
}

het_device *het_team_device(const het_team *team, int index)
{
	return index >= 0 && index < het_team_count(team) ? team->device[index] : NULL;
}

het_status het_team_set_shares(het_team *team, const double *shares)
{
	het_status st = het__team_check(team, "het_team_set_shares");

	if (!st && !shares)
		st = het__fail(HET_ERR_ARGUMENT, "het_team_set_shares: shares is NULL");
	if (!st)
		st = check_shares(shares, team->count, "het_team_set_shares");
	if (st)
		return het__team_refuse(team, st);
	st = het__team_enter(team, "het_team_set_shares");
	if (st)
		return st;
	copy_shares(team, shares);
	het__leave(team->system);
	return HET_OK;
}

het_status het_team_share_by(het_team *team, enum het_share_by figure)
{
	het_status st = het__team_check(team, "het_team_share_by");

	if (!st && figure != HET_BY_BANDWIDTH && figure != HET_BY_COMPUTE && figure != HET_BY_COMPUTE_DOUBLE)
		st = het__fail(HET_ERR_ARGUMENT,
			       "het_team_share_by: %d is not HET_BY_BANDWIDTH, HET_BY_COMPUTE or "
			       "HET_BY_COMPUTE_DOUBLE",
			       (int)figure);
	if (st)
		return het__team_refuse(team, st);
	st = het__team_enter(team, "het_team_share_by");
	if (st)
		return st;
	share_by(team, figure);
	het__leave(team->system);
	return HET_OK;
}

het_status het_team_overlap(het_team *team, enum het_overlap overlap)
{
	het_status st = het__team_check(team, "het_team_overlap");

	if (!st && (overlap < HET_OVERLAP_NEVER || overlap > HET_OVERLAP_PREDICTED))
		st = het__fail(HET_ERR_ARGUMENT,
			       "het_team_overlap: %d is none of HET_OVERLAP_NEVER, HET_OVERLAP_ALWAYS, "
			       "HET_OVERLAP_PREDICTED",
			       (int)overlap);
	if (st)
		return het__team_refuse(team, st);
	st = het__team_enter(team, "het_team_overlap");
	if (st)
		return st;
	team->overlap = overlap;
	het__leave(team->system);
	return HET_OK;
}
