/* team.h - the inside of a team: its devices, their shares, and how these follow what was measured.
 *
 * Called with the system's lock, which guards all of a team but what stays as it was made: system, everyone,
 * count and device.
 *
 * Invariants:
 *   S1  shares are not negative, and their sum is 1 (up to rounding);
 *   S2  no device is in a team twice, nor together with a part of itself.
 */
#ifndef HETERO_LIB_LAUNCH_TEAM_H
#define HETERO_LIB_LAUNCH_TEAM_H

#include <hetero/spread.h>

#include "calibration/calibration.h"
#include "kernel/kernel.h"
#include "task/task.h"

/* An array may have a store in each memory, one at home, and one where rows are combined: HET__STORES. */
#define HET__TEAM_MOST 62

/** What was found for one kernel, which may be gone, and spreads of one size (kernel/pace.h). */
struct het__balance {
	const het_kernel *kernel;
	uint64_t number, spreads;
	unsigned size;
	uint64_t used; /* team->spreads at its last spread */
	double share[HET__TEAM_MOST];
	struct het__ref last[HET__TEAM_MOST], before[HET__TEAM_MOST]; /* its last two launches on each device */
};

/** What was decided of the last cut that worth.h has judged. */
struct het__worth {
	int64_t length;           /* of the dimension that is cut; 0: nothing was */
	double bytes;             /* that its range reads and writes */
	double share[HET__TEAM_MOST];
};

struct het_team {
	unsigned magic;
	het_system *system;
	bool is_systems;          /* het_everyone's, het_alone's: it stays as long as the system */
	bool is_alone;            /* het_alone's: never to be on two devices */
	enum het_overlap overlap;
	int every;                /* spreads of a kernel from one look at its shares to the next; 0: none */
	int count;
	het_device *device[HET__TEAM_MOST];
	double share[HET__TEAM_MOST]; /* of kernels that have no balance */
	bool by_bandwidth;        /* `share` is what the calibration says of the devices' memories */
	const het_device *unmeasured; /* because of it `share` is by compute units, of unlike devices, and the
	                                 log was not told; NULL: not so */
	struct het__worth worth;
	struct het__balance *balance;
	int balance_count, balance_room;
	uint64_t spreads;         /* that had balances */
	struct het_team *prev, *next; /* of the system's teams */
};
HET__CAN_BE_BURIED(het_team);

/** What this room keeps of a system. */
struct het__spreads {
	het_team *first, *everyone;
	struct het__reducer *reducers; /* combine.h */
	struct het__rows *rows;
	int rows_count, rows_room;
};

/** The room's state, made at its first use. HET_ERR_MEMORY. */
het_status het__spreads_of(het_system *system, struct het__spreads **spreads_p);

/** HET_OK, or HET_ERR_HANDLE, HET_ERR_CONTEXT naming `what`. No lock needed. */
het_status het__team_check(const het_team *team, const char *what);
/** Takes the system's lock for a team that is still there then: another thread may free it while this one
 *  waits. Errors as het__team_check: without the lock. */
het_status het__team_enter(het_team *team, const char *what);
/** As het__refuse, of a call that was given this team, which need not be one. */
het_status het__team_refuse(const het_team *team, het_status status) __attribute__((cold));

/** A spread is cut by these shares: tells the log, once, where they are the team's and say little, because its
 *  devices are unlike and some were not measured. With the lock. */
void het__team_tell_guess_now(het_team *team);
static inline void het__team_tell_guess(het_team *team, const double *share)
{
	if (team->unmeasured && share == team->share && team->every == 0)
		het__team_tell_guess_now(team);
}

/** What was measured of a device, or NULL. */
const struct het__cal_figure *het__team_figure(const het_device *device, enum het__cal_figures which);

/** The shares of a kernel's spreads of this size, `team->count` of them; where there were none, those of its
 *  last spread, or else the team's. */
const double *het__team_shares_of(const het_team *team, const het_kernel *kernel, unsigned size);
/** The same for a spread that begins: where it is time to, looks first at what was measured, which waits until
 *  the launches before the last ones of such spreads have ended (not inside a callback), and drops the lock
 *  meanwhile. HET_ERR_MEMORY, HET_ERR_HANDLE (team or kernel were freed). */
het_status het__team_shares_now(het_team *team, het_kernel *kernel, unsigned size, const double **share_p);
/** Device number i has been given a part of a spread of this size. */
void het__team_launched(het_team *team, const het_kernel *kernel, unsigned size, int i, struct het__ref task);

/** Sets shares by rates of work, so that all devices are done at once. Those whose rate is not known keep
 *  theirs. False, and no change, where that promises too little. Pure. */
bool het__balance_move(double *share, const double *rate, int count);

#endif
