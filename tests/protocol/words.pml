/* words.pml - what the words of commands.h mean in the model, the commands, and their careless variants. */

#define BOXES  2
#define TASKS_MOST 4
#define STORES 3 /* of a box: the home, one in each device's memory */
#define LANES  3 /* lane d is that of device d; lane 0 is not used */
#define HOME   0

#define TASK
#define TO_LANE
#define BOX
#define STORE
#define BLOCK
#define CAUSE_ID

#include "states.h"

#define NO_CAUSE  0 /* else 1 + the task that failed by itself */
#define NO_STORES 0
#define NOBODY    TASKS
#define NO_BOX    BOXES
#define NOTHING   skip

#define BIT(i) (1 << (i))

/* Tasks. Sets of them are bits. */
byte state[TASKS], cause[TASKS];
byte lane[TASKS_MOST], place[TASKS_MOST];
byte before[TASKS], events[TASKS], until_submitted[TASKS], until_ended[TASKS], inputs[TASKS];
byte held, unfinished, failed;
byte length[LANES], finished[LANES];

#define STATE(t)           state[t]
#define LANE(t)            lane[t]
#define PLACE(t)           place[t]
#define CAUSE(t)           cause[t]
#define LENGTH(l)          length[l]
#define FINISHED(l)        finished[l]
#define BEFORE(t)          before[t]
#define EVENTS(t)          events[t]
#define UNTIL_SUBMITTED(t) until_submitted[t]
#define UNTIL_ENDED(t)     until_ended[t]
#define INPUTS(t)          inputs[t]

#define IN(set, t)          ((set & BIT(t)) != 0)
#define ADD(set, t)         set = set | BIT(t)
#define REMOVE(set, t)      set = set & ~BIT(t)
#define KEEP_UNFINISHED(set) set = set & unfinished
#define ANY_HELD(set)       ((set & held) != 0)
#define ANY_UNFINISHED(set) ((set & unfinished) != 0)
#define ANY_FAILED(set)     ((set & failed) != 0)
#define ALL_BEFORE(set, t)  ((set & unfinished & ~before[t]) == 0)
#define UNFINISHED(t)       IN(unfinished, t)

#define BECOME(t, s)                                                                          \
	state[t] = s;                                                                         \
	held = (held & ~BIT(t)) | ((s == HELD) << (t));                                       \
	unfinished = (unfinished & ~BIT(t)) | ((s == HELD || s == SUBMITTED) << (t))
#define BLAME(t, c) cause[t] = c; failed = failed | BIT(t)

#define SAME_LANE(t, u) (lane[t] == lane[u])
#ifdef ONE_CONTEXT
#define SAME_CONTEXT(t, u) true
#else
#define SAME_CONTEXT(t, u) SAME_LANE(t, u)
#endif

#ifdef CARELESS_imply_by_queue /* whatever came before it in that queue */
#define IS_OR_BEHIND(w, u) (lane[w] == lane[u])
#else
#define IS_OR_BEHIND(w, u) (lane[w] == lane[u] && place[w] >= place[u])
#endif
#define WAITS_ONLY(v, w, u) (events[v] == BIT(w) && IS_OR_BEHIND(w, u))
#define WAITS_ONLY_FOR_OR_BEHIND(v, u) \
	(WAITS_ONLY(v, 0, u) || WAITS_ONLY(v, 1, u) || WAITS_ONLY(v, 2, u) || WAITS_ONLY(v, 3, u))

/* Boxes, and a block for every store of one. */
byte settled[BOXES], promised[BOXES], poison[BOXES], promiser[BOXES * STORES];
byte readers[BOXES * STORES], writers[BOXES * STORES];

byte former[BOXES], formerly_promised[BOXES];

#define BLOCK_OF(b, s) ((b) * STORES + (s))
#define SETTLED(b)     settled[b]
#define PROMISED(b)    promised[b]
#define POISON(b)      poison[b]
#define PROMISER(b, s) promiser[BLOCK_OF(b, s)]
#define READERS(k)     readers[k]
#define WRITERS(k)     writers[k]
#define MEMBERS(b)     (settled[b] | promised[b])

#define HAS(set, s)     ((set & BIT(s)) != 0)
#define ONE(s)          BIT(s)
#define WITH(set, s)    (set | BIT(s))
#define WITHOUT(set, s) (set & ~BIT(s))

#define FORMER(b)            former[b]
#define FORMERLY_PROMISED(b) formerly_promised[b]
#define FORGET_PROMISERS(b) \
	PROMISER(b, 0) = NOBODY; PROMISER(b, 1) = NOBODY; PROMISER(b, 2) = NOBODY
#define KEEP_PROMISED(b, s) PROMISER(b, s) = (HAS(PROMISED(b), s) -> PROMISER(b, s) : NOBODY)
#define KEEP_PROMISER(b, s) PROMISER(b, s) = (HAS(FORMERLY_PROMISED(b), s) -> PROMISER(b, s) : NOBODY)
/* Nothing is kept where nobody will say that a write changed nothing: less to tell apart. */
#ifdef CARELESS_outdate /* copies from before an earlier write are taken for those from before the last one */
#define NOT_KEPT(set) set
#else
#define NOT_KEPT(set) NO_STORES
#endif
#define KEEP_MEMBERS_AS_FORMER(b, s)                                                                       \
	FORMER(b) = (WILL_BE_SAID -> WITHOUT(SETTLED(b), s) : NOT_KEPT(FORMER(b)));                        \
	FORMERLY_PROMISED(b) = (WILL_BE_SAID -> WITHOUT(PROMISED(b), s) : NOT_KEPT(FORMERLY_PROMISED(b))); \
	KEEP_PROMISER(b, 0); KEEP_PROMISER(b, 1); KEEP_PROMISER(b, 2)
#ifdef CARELESS_former /* a transfer to a store is not noted where that had a former copy */
#define FORGET_FORMER(b, s) skip
#else
#define FORGET_FORMER(b, s)                                                \
	FORMER(b) = WITHOUT(FORMER(b), s);                                 \
	FORMERLY_PROMISED(b) = WITHOUT(FORMERLY_PROMISED(b), s)
#endif
#define PROMISES(b, t)   (PROMISER(b, 0) == t || PROMISER(b, 1) == t || PROMISER(b, 2) == t)
#define NO_PROMISE_OF(t) (!PROMISES(0, t) && !PROMISES(1, t))
#define HAS_SOMETHING(b) ((MEMBERS(b) == NO_STORES) == (POISON(b) != NO_CAUSE))
#define NO_BOX_WITHOUT_VALUE_OR_CAUSE (HAS_SOMETHING(0) && HAS_SOMETHING(1))

#define IS_WRITING(t, b, s)    IN(WRITERS(BLOCK_OF(b, s)), t)
#define BEING_READ(b, s)       ANY_UNFINISHED(READERS(BLOCK_OF(b, s)))
#define BEING_WRITTEN(b, s)    ANY_UNFINISHED(WRITERS(BLOCK_OF(b, s)))
#ifdef CARELESS_source_reader /* nobody notes that a transfer reads its source */
#define IS_READING(t, b, s)    true
#else
#define IS_READING(t, b, s)    IN(READERS(BLOCK_OF(b, s)), t)
#endif
#define IS_READING_FROM(t, b, s) (HAS(MEMBERS(b), s) && IS_READING(t, b, s))
#define IS_READING_A_MEMBER(t, b) \
	(IS_READING_FROM(t, b, 0) || IS_READING_FROM(t, b, 1) || IS_READING_FROM(t, b, 2))

/* Every command twice: as it is, and without its guard for those that are to be careless. */
#define COMMAND(name, parameters, guard, effect)     \
	inline name parameters { (guard) -> effect } \
	inline careless_##name parameters { effect }
#include "commands.h"

#ifdef CARELESS_begin_read
#define begin_read(t, k) careless_begin_read(t, k)
#endif
#ifdef CARELESS_depend /* nobody notes whose promise a task reads */
#define DEPEND(t, u)       skip
#define TAINT(u, t)        skip
#define read_from(t, b, s) careless_read_from(t, b, s)
#else
#define DEPEND(t, u) depend(t, u)
#endif
#ifdef CARELESS_taint /* readers of what is lost are not told */
#define TAINT(u, t) skip
#define succeed(t)  careless_succeed(t)
#endif
#ifndef TAINT
#define TAINT(u, t) taint(u, t)
#endif
#ifdef CARELESS_follow
#define hold_until_submitted(t, u) careless_follow(t, u)
#endif
#ifdef CARELESS_imply_by_event
#define imply_by_event(t, u, v) careless_imply_by_event(t, u, v)
#endif
#ifdef CARELESS_submit
#define submit(t) careless_submit(t)
#endif
#ifdef CARELESS_begin_write
#define begin_write(t, k) careless_begin_write(t, k)
#endif
#ifdef CARELESS_collapse
#define collapse_read(k, t, u)  careless_collapse_read(k, t, u)
#define collapse_write(k, t, u) careless_collapse_write(k, t, u)
#endif
#ifdef CARELESS_forget
#define forget(b, s) careless_forget(b, s)
#endif
#ifdef CARELESS_free_block
#define free_block(k) careless_free_block(k)
#endif
#ifdef CARELESS_settle
#define break_promise(b, s, t) careless_settle(b, s, t)
#endif
#ifdef CARELESS_succeed
#define succeed(t) careless_succeed(t)
#endif
#ifdef CARELESS_host_read
#define host_read(b) careless_host_read(b)
#endif
#ifdef CARELESS_host_write
#define host_write(b) careless_host_write(b)
#endif

/* Hazards of a new task with one under way. */
#ifdef CARELESS_begin_read
#define CONFLICTS_IN_SOURCE(u) false
#else
#define CONFLICTS_IN_SOURCE(u) (t_from != NOWHERE && IN(WRITERS(t_from), u))
#endif
#ifdef CARELESS_begin_write
#define CONFLICTS_IN_TARGET(u) (t_to != NOWHERE && IN(WRITERS(t_to), u))
#else
#define CONFLICTS_IN_TARGET(u) (t_to != NOWHERE && (IN(WRITERS(t_to), u) || IN(READERS(t_to), u)))
#endif
#define MUST_ORDER(u) (CONFLICTS_IN_SOURCE(u) || CONFLICTS_IN_TARGET(u))
