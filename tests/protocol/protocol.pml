/* protocol.pml - the model that SPIN explores: a host, two devices, two boxes, and the commands of commands.h.
 *
 * The host starts tasks on random devices, maps boxes, lets stores go; drivers run what was submitted, in
 * whatever order queues and events allow, and may fail; somebody sees the ends and submits what was held.
 * Every store's bytes are modelled too, by the number of the write that made them, changed when a task RUNS
 * and not when it is started. So what is asserted is about data, not about the bookkeeping:
 *
 *   - a task that succeeded read the values that the calls' order demands;
 *   - whatever store is said to hold a box's value holds it;
 *   - a box is poisoned only by a failure from which its value would have come, and by the first such;
 *   - the host reads the right value, or is refused because of such a failure;
 *   - every task ends, and a map returns.
 *
 * Some writes put there what was there before. The host may then say so: what else held the box does so again.
 *
 * Switches: ONE_CONTEXT (devices pass events to each other), HOST_LANE (device 1 is a thread of the host, at
 * work in the home stores: nothing is ever in a store of its own), LOOKS (also tasks that only read, and
 * prefetches); TASKS, FAILURES, FORGETS, MAPS, SAYINGS: how much of each. CARELESS_something leaves out what a
 * command demands, and must then lead to an error.
 */
#ifndef TASKS
#define TASKS 4
#endif
#ifndef FAILURES
#define FAILURES 1
#endif
#ifndef FORGETS
#define FORGETS 1
#endif
#ifndef MAPS
#define MAPS 1
#endif

#ifndef SAYINGS
#define SAYINGS 1
#endif

#define WILL_BE_SAID (keeps && sayings < SAYINGS)
byte sayings;            /* so often the host has said that a write changed nothing */
bool keeps;              /* the write that begins changes nothing */

#include "words.pml"

/* ---- the world: what the commands do not know ------------------------------------------------------ */

/* The number of the write that made the bytes; GARBAGE after a failure, and in fresh memory. */
#define GARBAGE 0
#define INITIAL 1
#define MADE_BY(t) (2 + (t))
#define BY_HOST    (2 + TASKS)

byte content[BOXES * STORES];
byte version[BOXES];     /* what sequential meaning demands now */

/* What a task does: reads one store or none, writes one. */
byte from[TASKS], to[TASKS];      /* blocks; NOWHERE: reads nothing */
byte expected[TASKS], makes[TASKS]; /* version it is to read; version it writes */
byte derived[TASKS];     /* tasks whose failure may be its cause */
byte did_run, refused, misled; /* sets: the driver is done with it; reported an error; it read a wrong value */
byte shaken;             /* lanes in which something failed: the driver may refuse what follows */
byte ran[LANES];         /* tasks of the lane that the driver is done with */

#define NOWHERE (BOXES * STORES)

byte next;               /* task not yet used */
byte failures, forgets, maps;
byte mapping;            /* the host waits for this box, */
bool reading;            /* to read it */

#define HOLDS_VALUE(b, s) (!HAS(settled[b], s) || content[BLOCK_OF(b, s)] == version[b])
#define CHECK                                                                               \
	assert(HOLDS_VALUE(0, 0) && HOLDS_VALUE(0, 1) && HOLDS_VALUE(0, 2) &&               \
	       HOLDS_VALUE(1, 0) && HOLDS_VALUE(1, 1) && HOLDS_VALUE(1, 2))

/* ---- the host's calls ------------------------------------------------------------------------------ */

/* Scratch of one call. It is zero again when the call has returned. */
byte call_lane, call_route, call_in, call_out, call_store, other, block, source;
byte made;               /* GARBAGE, but while a task runs */
byte task, t_from, t_to, t_box_in, t_box_out;
bool own, last;          /* the call has a task of its own to start; this is it */

/* Task t waits for u, in the way that their lanes ask for. */
inline wait_for()
{
	if
	:: !UNFINISHED(other) || other == task -> skip
	:: UNFINISHED(other) && other != task ->
#ifdef ONE_CONTEXT
		if
		:: true -> hold_until_ended(task, other)
		:: true ->
		if
		:: SAME_LANE(task, other) -> skip
		:: !SAME_LANE(task, other) -> await_event(task, other)
		fi;
#else
		if
		:: !SAME_CONTEXT(task, other) -> hold_until_ended(task, other)
		:: else ->
#endif
		if
		:: STATE(other) == SUBMITTED -> follow(task, other)
		:: STATE(other) == HELD -> hold_until_submitted(task, other)
		fi
		fi
	fi
}

/* Hazards of t with what is under way, then what it reads of others' promises. */
inline order_task()
{
	other = 0;
	do
	:: other < TASKS ->
		if
		:: MUST_ORDER(other) -> wait_for()
		:: else -> skip
		fi;
		other++
	:: other == TASKS -> break
	od;
	other = 0;
	derived[task] = BIT(task);
	if
	:: t_from == NOWHERE -> skip
	:: t_from != NOWHERE && POISON(t_box_in) != NO_CAUSE ->
		derived[task] = derived[task] | BIT(POISON(t_box_in) - 1);
		taint_by_box(task, t_box_in)
	:: t_from != NOWHERE && POISON(t_box_in) == NO_CAUSE && promiser[t_from] != NOBODY ->
		derived[task] = derived[task] | derived[promiser[t_from]];
		DEPEND(task, promiser[t_from]);
		if
		:: CAUSE(promiser[t_from]) != NO_CAUSE -> TAINT(task, promiser[t_from])
		:: CAUSE(promiser[t_from]) == NO_CAUSE -> skip
		fi
	:: t_from != NOWHERE && POISON(t_box_in) == NO_CAUSE && promiser[t_from] == NOBODY -> skip
	fi
}

#ifdef ONE_CONTEXT
#define IS_IMPLIED(v)                                                                                  \
	(IN(EVENTS(task), other) && STATE(other) == SUBMITTED && STATE(v) == SUBMITTED && v != other)
#define IS_IMPLIED_BY_QUEUE(v) (IS_IMPLIED(v) && SAME_LANE(task, v) && WAITS_ONLY_FOR_OR_BEHIND(v, other))
#ifdef CARELESS_imply_by_event /* the later one by the earlier */
#define IS_IMPLIED_BY_EVENT(v) \
	(IS_IMPLIED(v) && IN(EVENTS(task), v) && SAME_LANE(other, v) && PLACE(other) > PLACE(v))
#else
#define IS_IMPLIED_BY_EVENT(v) \
	(IS_IMPLIED(v) && IN(EVENTS(task), v) && SAME_LANE(other, v) && PLACE(other) < PLACE(v))
#endif

/* The driver is told of as few as may be. */
inline imply_events()
{
	other = 0;
	do
	:: other < TASKS ->
		block = 0;
		do
		:: block < TASKS ->
			if
			:: IS_IMPLIED_BY_QUEUE(block) -> imply_by_queue(task, other, block)
			:: IS_IMPLIED_BY_EVENT(block) -> imply_by_event(task, other, block)
			:: else -> skip
			fi;
			block++
		:: block == TASKS -> break
		od;
		other++
	:: other == TASKS -> break
	od;
	other = 0;
	block = 0
}
#else
#define imply_events() skip
#endif

#ifdef CARELESS_collapse
#define MAY_COLLAPSE (SAME_LANE(task, other) && UNFINISHED(other))
#else
#define MAY_COLLAPSE (SAME_LANE(task, other) && STATE(other) == SUBMITTED && STATE(task) == SUBMITTED)
#endif

/* The later of one queue stands for the earlier wherever it may: so the least is known. */
inline collapse_hazards()
{
	other = 0;
	do
	:: other < TASKS ->
		if
		:: t_to != NOWHERE && other != task && IN(WRITERS(t_to), other) && MAY_COLLAPSE ->
			collapse_write(t_to, task, other)
		:: else -> skip
		fi;
		if
		:: t_to != NOWHERE && other != task && IN(READERS(t_to), other) && MAY_COLLAPSE ->
			collapse_read(t_to, task, other)
		:: else -> skip
		fi;
		if
		:: t_from != NOWHERE && other != task && IN(READERS(t_from), other) && MAY_COLLAPSE ->
			collapse_read(t_from, task, other)
		:: else -> skip
		fi;
		other++
	:: other == TASKS -> break
	od;
	other = 0
}

inline record_task()
{
	if
	:: t_from == NOWHERE -> skip
	:: t_from != NOWHERE ->
#ifdef CARELESS_source_reader
		if
		:: last -> begin_read(task, t_from)
		:: !last -> skip
		fi;
#else
		begin_read(task, t_from);
#endif
		read_from(task, t_box_in, t_from - t_box_in * STORES)
	fi;
	if
	:: t_to != NOWHERE -> begin_write(task, t_to)
	:: t_to == NOWHERE -> skip
	fi;
	collapse_hazards()
}

/* What is not looked at any more is set to zero: less to tell apart. */
inline clear()
{
	assert(CAUSE(task) != NO_CAUSE || !IN(misled, task));
	block = 0;
	do
	:: block < BOXES * STORES -> REMOVE(READERS(block), task); REMOVE(WRITERS(block), task); block++
	:: block == BOXES * STORES -> break
	od;
	block = 0;
	events[task] = 0; until_submitted[task] = 0; until_ended[task] = 0; inputs[task] = 0;
	from[task] = 0; to[task] = 0; expected[task] = 0; makes[task] = 0; derived[task] = 0;
	place[task] = 0; lane[task] = 0;
	REMOVE(misled, task);
	CHECK
}

/* The directory learns of a started task. */
inline commit_task()
{
	record_task();
	before[task] = 0;
	if
	:: last && t_to != NOWHERE ->
		write(t_box_out, t_to - t_box_out * STORES, task);
		version[t_box_out] = makes[task]
	:: last && t_to == NOWHERE -> skip
	:: !last -> join(t_box_out, t_to - t_box_out * STORES, task)
	fi
}

/* Starts a task: a transfer, or (last) the call's own. When the driver refuses it, the call gives up. */
#define MAY_START \
	(CAUSE(task) == NO_CAUSE && !ANY_HELD(UNTIL_SUBMITTED(task)) && !ANY_UNFINISHED(UNTIL_ENDED(task)))

inline start_task()
{
	expected[task] = (t_from == NOWHERE -> GARBAGE : version[t_box_in]);
	makes[task] = (!last -> expected[task] : (keeps -> version[t_box_out] : MADE_BY(task)));
	from[task] = t_from;
	to[task] = t_to;
	order_task();
	if
	:: MAY_START -> imply_events(); submit(task)
	:: MAY_START && failures < FAILURES -> failures++; cancel(task)
	:: !MAY_START -> hold(task)
	fi;
	if
	:: UNFINISHED(task) -> commit_task()
	:: STATE(task) == GONE -> before[task] = 0; clear(); own = false; call_in = NO_BOX
	fi
}

#define LACKS(b, s)   (!HAS(MEMBERS(b), s) && POISON(b) == NO_CAUSE)
/* A device's memory is reached from the home, and from the other device's memory within one context only. */
#ifdef ONE_CONTEXT
#define HOPS(b, s)    LACKS(b, s)
#define REACHES(f, s) true
#else
#define HOPS(b, s)    (LACKS(b, s) + (LACKS(b, s) && s != HOME && !HAS(MEMBERS(b), HOME)))
#define REACHES(f, s) (f == HOME || s == HOME)
#endif

/* The next piece of a fetch, by any source that is a member, or one hop nearer. Transfers to the home are in
 * the queue of their source. */
inline choose_transfer()
{
	if
	:: HAS(MEMBERS(call_in), 0) && call_store != 0 -> source = 0; block = call_store
#ifndef HOST_LANE
	:: HAS(MEMBERS(call_in), 1) && call_store != 1 && REACHES(1, call_store) -> source = 1; block = call_store
#endif
	:: HAS(MEMBERS(call_in), 2) && call_store != 2 && REACHES(2, call_store) -> source = 2; block = call_store
#if !defined(ONE_CONTEXT) && !defined(HOST_LANE)
	:: HOPS(call_in, call_store) == 2 && HAS(MEMBERS(call_in), 1) -> source = 1; block = HOME
	:: HOPS(call_in, call_store) == 2 && HAS(MEMBERS(call_in), 2) -> source = 2; block = HOME
#endif
	fi;
	t_from = BLOCK_OF(call_in, source);
	t_to = BLOCK_OF(call_in, block);
	t_box_in = call_in;
	t_box_out = call_in;
	call_route = (block == HOME -> source : block);
	make(task, call_route);
	last = false;
	call_route = 0;
	source = 0;
	block = 0
}

/* The call's own task reads call_in and writes call_out, where they are boxes. */
inline choose_own()
{
	t_from = (call_in == NO_BOX -> NOWHERE : BLOCK_OF(call_in, call_store));
	t_to = (call_out == NO_BOX -> NOWHERE : BLOCK_OF(call_out, call_store));
	t_box_in = call_in;
	t_box_out = call_out;
	make(task, call_lane);
	last = true
}

/* A launch, which has a task of its own, or only a fetch. */
#define MUST_FETCH (call_in != NO_BOX && LACKS(call_in, call_store))

inline call()
{
	do
	:: MUST_FETCH || own ->
		task = next;
		next++;
		if
		:: MUST_FETCH -> choose_transfer()
		:: !MUST_FETCH -> choose_own()
		fi;
		start_task();
		if
		:: last -> own = false
		:: !last -> skip
		fi
	:: !MUST_FETCH && !own -> break
	od;
	CHECK;
	call_lane = 0; call_in = 0; call_out = 0; call_store = 0;
	task = 0; t_from = 0; t_to = 0; t_box_in = 0; t_box_out = 0; last = false; keeps = false
}

#ifdef HOST_LANE
#define STORE_OF(d) (d == 1 -> HOME : d)
#else
#define STORE_OF(d) d
#endif

/* A write through the store leaves former copies. */
#define OTHERS_HOLD(b, s) (WITHOUT(MEMBERS(b), s) != NO_STORES)

/* `out` of a box, `inout` of a box, `out` of one from `in` of the other; on any device. With LOOKS also `in` of
 * a box, and a prefetch, which has no task of its own. */
inline choose_launch()
{
	if
	:: call_lane = 1
	:: call_lane = 2
	fi;
	call_store = STORE_OF(call_lane);
	if
	:: call_out = 0; own = true
	:: next > 0 -> call_out = 1; own = true /* boxes are alike at first */
#ifdef LOOKS
	:: call_out = NO_BOX; own = true
	:: call_out = NO_BOX
#endif
	fi;
	if
	:: keeps = false
	:: sayings < SAYINGS && call_out != NO_BOX && OTHERS_HOLD(call_out, call_store) -> keeps = true
	fi;
	if
	:: next + own + HOPS(0, call_store) <= TASKS -> call_in = 0
	:: next + own + HOPS(1, call_store) <= TASKS -> call_in = 1
	:: call_out != NO_BOX -> call_in = NO_BOX
#ifdef LOOKS
	:: call_out == NO_BOX -> call_in = NO_BOX; own = false
#endif
	fi
}

#define CAN_MAP(b) (maps < MAPS && next > 0 && next + HOPS(b, HOME) <= TASKS)

inline choose_map()
{
	maps++;
	call_in = mapping;
	call_out = NO_BOX;
	call_store = HOME
}

/* The call returns with the value, with the cause that lost it, or because the transfer failed. */
inline see_map()
{
	if
	:: host_read(mapping) -> assert(content[BLOCK_OF(mapping, HOME)] == version[mapping])
	:: host_refuse(mapping, POISON(mapping))
	:: LACKS(mapping, HOME) -> skip
	fi;
	mapping = 0;
	reading = false
}

inline map_to_write()
{
	if
	:: mapping = 0
	:: mapping = 1
	fi;
	maps++;
	if
	:: keeps = false
	:: sayings < SAYINGS && OTHERS_HOLD(mapping, HOME) -> keeps = true
	fi;
	host_write(mapping);
	version[mapping] = (keeps -> version[mapping] : BY_HOST + maps);
	content[BLOCK_OF(mapping, HOME)] = version[mapping];
	mapping = 0;
	keeps = false;
	CHECK
}

#define HAS_FORMER(b) ((FORMER(b) | FORMERLY_PROMISED(b)) != NO_STORES)

/* No write will be said to have changed nothing any more. */
inline clear_former(b)
{
	FORMER(b) = NO_STORES;
	FORMERLY_PROMISED(b) = NO_STORES;
	KEEP_PROMISED(b, 0); KEEP_PROMISED(b, 1); KEEP_PROMISED(b, 2)
}

inline say_unmodified()
{
	if
	:: HAS_FORMER(0) -> t_box_out = 0
	:: HAS_FORMER(1) -> t_box_out = 1
	fi;
	sayings++;
	do
	:: source < STORES ->
		if
		:: HAS(FORMER(t_box_out), source) -> restore(t_box_out, source)
		:: HAS(FORMERLY_PROMISED(t_box_out), source) ->
			restore_promised(t_box_out, source, PROMISER(t_box_out, source))
		:: else -> skip
		fi;
		source++
	:: source == STORES -> break
	od;
	source = 0;
	if
	:: sayings == SAYINGS -> clear_former(1 - t_box_out)
#if SAYINGS > 1
	:: sayings < SAYINGS -> skip
#endif
	fi;
	t_box_out = 0;
	CHECK
}

#ifdef CARELESS_forget
#define CAN_GO(b, s) HAS(MEMBERS(b), s)
#else
#define CAN_GO(b, s) (HAS(MEMBERS(b), s) && WITHOUT(SETTLED(b), s) != NO_STORES)
#endif
#define MAY_FORGET(b, s) (forgets < FORGETS && (CAN_GO(b, s) || HAS((FORMER(b) | FORMERLY_PROMISED(b)), s)))

#ifdef CARELESS_free_block
#define MAY_FREE(k) true
#else
#define MAY_FREE(k) (!ANY_UNFINISHED(READERS(k)) && !ANY_UNFINISHED(WRITERS(k)))
#endif

/* A store goes out of the set; of a device's also the memory, when nobody uses it. */
inline let_go()
{
	if
	:: MAY_FORGET(0, 0) -> block = BLOCK_OF(0, 0)
	:: MAY_FORGET(0, 2) -> block = BLOCK_OF(0, 2)
	:: MAY_FORGET(1, 0) -> block = BLOCK_OF(1, 0)
	:: MAY_FORGET(1, 2) -> block = BLOCK_OF(1, 2)
#ifndef HOST_LANE
	:: MAY_FORGET(0, 1) -> block = BLOCK_OF(0, 1)
	:: MAY_FORGET(1, 1) -> block = BLOCK_OF(1, 1)
#endif
	fi;
	forgets++;
	source = HAS(MEMBERS(block / STORES), block % STORES);
	forget(block / STORES, block % STORES);
	assert(!source || SETTLED(block / STORES) != NO_STORES);
	source = 0;
	if
	:: block % STORES != HOME && MAY_FREE(block) -> free_block(block); content[block] = GARBAGE
	:: skip
	fi;
	block = 0
}

#include "drivers.pml"

/* ---- all together ---------------------------------------------------------------------------------- */

proctype host()
{
	do
	:: atomic {
		if
		:: next < TASKS -> choose_launch()
		:: CAN_MAP(0) -> mapping = 0; reading = true; choose_map()
		:: CAN_MAP(1) -> mapping = 1; reading = true; choose_map()
		fi;
		call()
		};
		if
		:: atomic { reading -> see_map() }
		:: !reading
		fi
	:: atomic { maps < MAPS && next > 0 -> map_to_write() }
	:: atomic { say_unmodified() }
	:: atomic { let_go() }
	:: next == TASKS -> break
	od
}

proctype world()
{
	do
	:: atomic {
		if
		:: MOVES(0) -> task = 0
		:: MOVES(1) -> task = 1
		:: MOVES(2) -> task = 2
#if TASKS > 3
		:: MOVES(3) -> task = 3
#endif
#if TASKS > 4
		:: MOVES(4) -> task = 4
#endif
#if TASKS > 5
		:: MOVES(5) -> task = 5
#endif
		fi;
		move_on();
		task = 0
	}
	:: next == TASKS && unfinished == 0 -> break
	od
}

init
{
	d_step {
		settled[0] = ONE(HOME); settled[1] = ONE(HOME);
		version[0] = INITIAL; version[1] = INITIAL;
		content[BLOCK_OF(0, HOME)] = INITIAL; content[BLOCK_OF(1, HOME)] = INITIAL;
		FORGET_PROMISERS(0); FORGET_PROMISERS(1)
	};
	atomic { run host(); run world() }
}
