/* commands.h - the protocol of order, failure and coherence as guarded commands, written once.
 *
 * COMMAND(name, parameters, guard, effect), in what C and Promela have in common. protocol.pml makes of them
 * the model that SPIN explores; replay.c makes of them the checks that a real run's transitions must pass.
 * Whoever includes this file says what the words mean there (no include guard: it may be read twice):
 *
 *   STATE(t) LANE(t) PLACE(t) CAUSE(t)    of task t; BECOME(t, state) and BLAME(t, cause) change them
 *   LENGTH(l) FINISHED(l)                 of lane l: tasks submitted so far, and how many of them have ended
 *   BEFORE(t)                             tasks behind which t is known to run
 *   EVENTS(t) UNTIL_SUBMITTED(t) UNTIL_ENDED(t)   what t waits for: in the driver, and held
 *   INPUTS(t)                             tasks whose promises t reads
 *   READERS(k) WRITERS(k)                 hazards of k, one box of one block of memory
 *   SETTLED(b) PROMISED(b)                sets of stores that hold the value of box b
 *   PROMISER(b, s) POISON(b)              who promised store s; the cause that lost the value
 *   FORMER(b) FORMERLY_PROMISED(b)        the same sets of what the last write of b replaced, but for stores
 *                                         that have got other bytes since, or may be getting them
 *
 *   IS_READING(t, b, s) IS_WRITING(t, b, s)   whether t has such a hazard of b in the block of store s
 *   WAITS_ONLY_FOR_OR_BEHIND(v, u)        EVENTS(v) is one task: u, or one behind it in its lane
 *
 * Sets of tasks: IN, ADD, REMOVE, KEEP_UNFINISHED, ALL_BEFORE (every unfinished task of the set is in
 * BEFORE(t)), ANY_HELD, ANY_UNFINISHED, ANY_FAILED. Sets of stores: HAS, ONE, WITH, WITHOUT, NO_STORES.
 * Unfinished is HELD or SUBMITTED; tasks are never used twice. KEEP_MEMBERS_AS_FORMER(b, s): FORMER(b) and
 * FORMERLY_PROMISED(b) become SETTLED(b) and PROMISED(b), without s; who promised what else is of no
 * account any more. FORGET_FORMER(b, s) takes s out of both.
 */

/* ---- a task's life --------------------------------------------------------------------------------- */

COMMAND(make, (TASK t, TO_LANE l),
	STATE(t) == FREE,
	BECOME(t, MADE); LANE(t) = l; ADD(BEFORE(t), t))

/* The driver is told to run t behind u. */
COMMAND(await_event, (TASK t, TASK u),
	STATE(t) == MADE && UNFINISHED(u) && SAME_CONTEXT(t, u) && !SAME_LANE(t, u),
	ADD(EVENTS(t), u))

/* Nothing more is needed: u is in its queue, and t will come behind it there or waits for its event. */
COMMAND(follow, (TASK t, TASK u),
	STATE(t) == MADE && STATE(u) == SUBMITTED && (SAME_LANE(t, u) || IN(EVENTS(t), u)),
	ADD(BEFORE(t), u))

/* A held task is implied by nothing until it is in its queue. */
COMMAND(hold_until_submitted, (TASK t, TASK u),
	STATE(t) == MADE && STATE(u) == HELD && (SAME_LANE(t, u) || IN(EVENTS(t), u)),
	ADD(UNTIL_SUBMITTED(t), u); ADD(BEFORE(t), u))

/* Between contexts no event can be passed; what is to run even when u fails awaits no event of it; and where
 * the driver takes the host's bytes when it is told to write them, they must be there by then, also in one
 * queue. */
COMMAND(hold_until_ended, (TASK t, TASK u),
	STATE(t) == MADE && UNFINISHED(u),
	ADD(UNTIL_ENDED(t), u); ADD(BEFORE(t), u))

/* t is going to read what u promised (T3). */
COMMAND(depend, (TASK t, TASK u),
	STATE(t) == MADE && UNFINISHED(u),
	ADD(INPUTS(t), u))

/* T2: nothing is held without a reason. */
COMMAND(hold, (TASK t),
	STATE(t) == MADE &&
		(CAUSE(t) != NO_CAUSE || ANY_HELD(UNTIL_SUBMITTED(t)) || ANY_UNFINISHED(UNTIL_ENDED(t))),
	BECOME(t, HELD))

/* The driver need not be told of u: t waits for v, which comes behind u in its queue. */
COMMAND(imply_by_event, (TASK t, TASK u, TASK v),
	(STATE(t) == MADE || STATE(t) == HELD) && IN(EVENTS(t), u) && STATE(u) == SUBMITTED &&
		IN(EVENTS(t), v) && STATE(v) == SUBMITTED && SAME_LANE(u, v) && PLACE(u) < PLACE(v),
	REMOVE(EVENTS(t), u))

/* Nor where v, which comes before t in its queue, waits for u or for what is behind it in its queue, and for
 * nothing else: what waits for several ends with the first that fails. */
COMMAND(imply_by_queue, (TASK t, TASK u, TASK v),
	(STATE(t) == MADE || STATE(t) == HELD) && IN(EVENTS(t), u) && STATE(u) == SUBMITTED &&
		STATE(v) == SUBMITTED && SAME_LANE(t, v) && WAITS_ONLY_FOR_OR_BEHIND(v, u),
	REMOVE(EVENTS(t), u))

/* T2: nothing is submitted before what it waits for. Of what has ended the driver is not told. */
COMMAND(submit, (TASK t),
	(STATE(t) == MADE || STATE(t) == HELD) && CAUSE(t) == NO_CAUSE && !ANY_HELD(UNTIL_SUBMITTED(t)) &&
		!ANY_UNFINISHED(UNTIL_ENDED(t)),
	KEEP_UNFINISHED(EVENTS(t)); BECOME(t, SUBMITTED); PLACE(t) = LENGTH(LANE(t));
	LENGTH(LANE(t)) = LENGTH(LANE(t)) + 1)

COMMAND(cancel, (TASK t),
	STATE(t) == MADE,
	BECOME(t, GONE))

/* ---- failure --------------------------------------------------------------------------------------- */

/* t failed by itself. Where something that it reads is known to be lost, that is the first cause instead. */
COMMAND(fail, (TASK t, CAUSE_ID c),
	(STATE(t) == MADE || UNFINISHED(t)) && CAUSE(t) == NO_CAUSE && !ANY_FAILED(INPUTS(t)),
	BLAME(t, c))

/* t read what u promised, and u failed. */
COMMAND(taint, (TASK t, TASK u),
	(STATE(t) == MADE || UNFINISHED(t)) && IN(INPUTS(t), u) && CAUSE(t) == NO_CAUSE && CAUSE(u) != NO_CAUSE,
	BLAME(t, CAUSE(u)))

/* t is going to read a box that has no value. */
COMMAND(taint_by_box, (TASK t, BOX b),
	STATE(t) == MADE && POISON(b) != NO_CAUSE && (CAUSE(t) == NO_CAUSE || CAUSE(t) == POISON(b)),
	BLAME(t, POISON(b)))

/* ---- the end of a task ----------------------------------------------------------------------------- */

/* T1: in the order of its lane. T4: after all that it read, none of which failed. */
COMMAND(succeed, (TASK t),
	STATE(t) == SUBMITTED && CAUSE(t) == NO_CAUSE && PLACE(t) == FINISHED(LANE(t)) &&
		!ANY_UNFINISHED(INPUTS(t)) && !ANY_FAILED(INPUTS(t)),
	BECOME(t, ENDING); FINISHED(LANE(t)) = FINISHED(LANE(t)) + 1)

COMMAND(end_failed, (TASK t),
	STATE(t) == SUBMITTED && CAUSE(t) != NO_CAUSE && PLACE(t) == FINISHED(LANE(t)),
	BECOME(t, ENDING); FINISHED(LANE(t)) = FINISHED(LANE(t)) + 1)

COMMAND(end_held, (TASK t),
	STATE(t) == HELD && CAUSE(t) != NO_CAUSE,
	BECOME(t, ENDING))

COMMAND(settle, (BOX b, STORE s, TASK t),
	STATE(t) == ENDING && CAUSE(t) == NO_CAUSE && HAS(PROMISED(b), s) && PROMISER(b, s) == t,
	PROMISED(b) = WITHOUT(PROMISED(b), s); PROMISER(b, s) = NOBODY; SETTLED(b) = WITH(SETTLED(b), s))

COMMAND(break_promise, (BOX b, STORE s, TASK t),
	STATE(t) == ENDING && CAUSE(t) != NO_CAUSE && HAS(PROMISED(b), s) && PROMISER(b, s) == t,
	PROMISED(b) = WITHOUT(PROMISED(b), s); PROMISER(b, s) = NOBODY)

/* F2: the same for a former copy. */
COMMAND(settle_former, (BOX b, STORE s, TASK t),
	STATE(t) == ENDING && CAUSE(t) == NO_CAUSE && HAS(FORMERLY_PROMISED(b), s) && PROMISER(b, s) == t,
	FORMERLY_PROMISED(b) = WITHOUT(FORMERLY_PROMISED(b), s); PROMISER(b, s) = NOBODY;
	FORMER(b) = WITH(FORMER(b), s))

COMMAND(break_former, (BOX b, STORE s, TASK t),
	STATE(t) == ENDING && CAUSE(t) != NO_CAUSE && HAS(FORMERLY_PROMISED(b), s) && PROMISER(b, s) == t,
	FORMERLY_PROMISED(b) = WITHOUT(FORMERLY_PROMISED(b), s); PROMISER(b, s) = NOBODY)

/* D3: a box that nobody holds any more names the cause. */
COMMAND(lose, (BOX b, TASK t),
	STATE(t) == ENDING && CAUSE(t) != NO_CAUSE && MEMBERS(b) == NO_STORES && POISON(b) == NO_CAUSE,
	POISON(b) = CAUSE(t))

/* D3, D4: all that it promised has been seen to. */
COMMAND(leave, (TASK t),
	STATE(t) == ENDING && NO_PROMISE_OF(t) && NO_BOX_WITHOUT_VALUE_OR_CAUSE,
	BECOME(t, GONE))

/* ---- hazards --------------------------------------------------------------------------------------- */

/* H1: a reader comes after writers, a writer after readers and writers, of the same bytes. */
COMMAND(begin_read, (TASK t, BLOCK k),
	UNFINISHED(t) && ALL_BEFORE(WRITERS(k), t),
	ADD(READERS(k), t))

COMMAND(begin_write, (TASK t, BLOCK k),
	UNFINISHED(t) && ALL_BEFORE(WRITERS(k), t) && ALL_BEFORE(READERS(k), t),
	ADD(WRITERS(k), t))

/* H2: t stands for u, which came before it in the same queue. Never a held task. */
COMMAND(collapse_read, (BLOCK k, TASK t, TASK u),
	STATE(t) == SUBMITTED && STATE(u) == SUBMITTED && SAME_LANE(t, u) && PLACE(t) > PLACE(u),
	REMOVE(READERS(k), u); ADD(READERS(k), t))

COMMAND(collapse_write, (BLOCK k, TASK t, TASK u),
	STATE(t) == SUBMITTED && STATE(u) == SUBMITTED && SAME_LANE(t, u) && PLACE(t) > PLACE(u),
	REMOVE(WRITERS(k), u); REMOVE(READERS(k), u); ADD(WRITERS(k), t))

/* The memory is given back. */
COMMAND(free_block, (BLOCK k),
	!ANY_UNFINISHED(READERS(k)) && !ANY_UNFINISHED(WRITERS(k)),
	NOTHING)

/* ---- which stores hold a box ----------------------------------------------------------------------- */

/* Any member may be read; a promised one makes the promiser an input. */
COMMAND(read_from, (TASK t, BOX b, STORE s),
	IS_READING(t, b, s) &&
		(CAUSE(t) != NO_CAUSE || HAS(SETTLED(b), s) ||
		 (HAS(PROMISED(b), s) && (IN(INPUTS(t), PROMISER(b, s)) || PROMISER(b, s) == t))),
	NOTHING)

/* A transfer makes s one more member: it reads the box from one. */
COMMAND(join, (BOX b, STORE s, TASK t),
	UNFINISHED(t) && IS_WRITING(t, b, s) && IS_READING_A_MEMBER(t, b) && POISON(b) == NO_CAUSE &&
		!HAS(MEMBERS(b), s),
	PROMISED(b) = WITH(PROMISED(b), s); FORGET_FORMER(b, s); PROMISER(b, s) = t)

/* A write makes s the only member. What the other members have is as it was, for now. */
COMMAND(write, (BOX b, STORE s, TASK t),
	UNFINISHED(t) && IS_WRITING(t, b, s),
	KEEP_MEMBERS_AS_FORMER(b, s);
	SETTLED(b) = NO_STORES; PROMISED(b) = ONE(s); PROMISER(b, s) = t;
	POISON(b) = NO_CAUSE)

/* D5: merging or dropping takes s out of the set, but never the last settled member. Of former copies any may
 * be forgotten. */
COMMAND(forget, (BOX b, STORE s),
	!HAS(MEMBERS(b), s) || WITHOUT(SETTLED(b), s) != NO_STORES,
	SETTLED(b) = WITHOUT(SETTLED(b), s); PROMISED(b) = WITHOUT(PROMISED(b), s); FORGET_FORMER(b, s);
	PROMISER(b, s) = NOBODY)

/* F1: the program says that the last write has left the box as it was: what s had is its value, also where the
 * write has failed since. */
COMMAND(restore, (BOX b, STORE s),
	HAS(FORMER(b), s) && !HAS(MEMBERS(b), s),
	FORMER(b) = WITHOUT(FORMER(b), s); SETTLED(b) = WITH(SETTLED(b), s); POISON(b) = NO_CAUSE)

COMMAND(restore_promised, (BOX b, STORE s, TASK t),
	HAS(FORMERLY_PROMISED(b), s) && !HAS(MEMBERS(b), s) && PROMISER(b, s) == t,
	FORMERLY_PROMISED(b) = WITHOUT(FORMERLY_PROMISED(b), s); PROMISED(b) = WITH(PROMISED(b), s);
	POISON(b) = NO_CAUSE)

/* ---- the host's access in place -------------------------------------------------------------------- */

COMMAND(host_read, (BOX b),
	HAS(SETTLED(b), HOME) && !BEING_WRITTEN(b, HOME),
	NOTHING)

COMMAND(host_write, (BOX b),
	!BEING_WRITTEN(b, HOME) && !BEING_READ(b, HOME),
	KEEP_MEMBERS_AS_FORMER(b, HOME);
	SETTLED(b) = ONE(HOME); PROMISED(b) = NO_STORES; PROMISER(b, HOME) = NOBODY; POISON(b) = NO_CAUSE)

/* Reading is refused, for this reason. */
COMMAND(host_refuse, (BOX b, CAUSE_ID c),
	POISON(b) != NO_CAUSE && POISON(b) == c,
	NOTHING)
