/* drivers.pml - the model's drivers, which run what was submitted, and who sees what they did: ends, failures,
 * and what can be submitted then. */

/* The driver may begin t: it is next in its queue, and the events that it waits for are there. */
#define CAN_RUN(t)                                                        \
	(STATE(t) == SUBMITTED && !IN(did_run, t) && PLACE(t) == ran[LANE(t)] && \
	 (events[t] & unfinished & ~did_run) == 0)
/* Or it gives t up, for one of these events failed. It may not wait for the others then. */
#define CAN_GIVE_UP(t)                                                    \
	(STATE(t) == SUBMITTED && !IN(did_run, t) && PLACE(t) == ran[LANE(t)] && \
	 (events[t] & refused) != 0)
#define IS_AFTER_REFUSED(t) ((events[t] & refused) != 0 || HAS(shaken, LANE(t)))

/* The task's target gets these bytes. */
inline put()
{
	if
	:: to[task] != NOWHERE -> content[to[task]] = made
	:: to[task] == NOWHERE -> skip
	fi
}

inline run_well()
{
	if
	:: from[task] != NOWHERE && content[from[task]] != expected[task] ->
		misled = misled | BIT(task);
		made = GARBAGE
	:: else -> made = makes[task]
	fi;
	put();
	made = 0;
	did_run = did_run | BIT(task);
	ran[LANE(task)]++
}

inline run_badly()
{
	did_run = did_run | BIT(task);
	refused = refused | BIT(task);
	shaken = WITH(shaken, LANE(task));
	ran[LANE(task)]++
}

#define IS_FORMER(k) HAS(FORMERLY_PROMISED(k / STORES), k % STORES)

/* Everything that t promised is settled or broken; its readers are told first. */
inline tell()
{
	other = 0;
	do
	:: other < TASKS ->
		if
		:: CAUSE(task) != NO_CAUSE && UNFINISHED(other) && IN(INPUTS(other), task) && CAUSE(other) == NO_CAUSE ->
			TAINT(other, task)
		:: else -> skip
		fi;
		other++
	:: other == TASKS -> break
	od;
	other = 0;
	block = 0;
	do
	:: block < BOXES * STORES ->
		if
		:: promiser[block] == task && CAUSE(task) == NO_CAUSE && !IS_FORMER(block) ->
			settle(block / STORES, block % STORES, task)
		:: promiser[block] == task && CAUSE(task) == NO_CAUSE && IS_FORMER(block) ->
			settle_former(block / STORES, block % STORES, task)
		:: promiser[block] == task && CAUSE(task) != NO_CAUSE && IS_FORMER(block) ->
			break_former(block / STORES, block % STORES, task)
		:: promiser[block] == task && CAUSE(task) != NO_CAUSE && !IS_FORMER(block) ->
			break_promise(block / STORES, block % STORES, task);
			if
			:: MEMBERS(block / STORES) == NO_STORES ->
				assert(IN(derived[task], CAUSE(task) - 1));
				lose(block / STORES, task)
			:: else -> skip
			fi
		:: else -> skip
		fi;
		block++
	:: block == BOXES * STORES -> break
	od;
	block = 0;
	leave(task)
}

/* The driver reported an error, and all that t read has ended without one. */
#define FAILED_BY_ITSELF(t) \
	(IN(refused, t) && CAUSE(t) == NO_CAUSE && !ANY_UNFINISHED(INPUTS(t)) && !ANY_FAILED(INPUTS(t)))

inline see_end()
{
	if
	:: FAILED_BY_ITSELF(task) -> fail(task, 1 + task)
	:: else -> skip
	fi;
	if
	:: IN(refused, task) || CAUSE(task) != NO_CAUSE -> end_failed(task)
	:: else -> succeed(task)
	fi
}

#ifdef CARELESS_succeed
#define MAY_END(t)                                                               \
	(STATE(t) == SUBMITTED && IN(did_run, t) && PLACE(t) == FINISHED(LANE(t)) && \
	 (CAUSE(t) != NO_CAUSE || !IN(refused, t) || !ANY_UNFINISHED(INPUTS(t))))
#else
#define MAY_END(t)                                                               \
	(STATE(t) == SUBMITTED && IN(did_run, t) && PLACE(t) == FINISHED(LANE(t)) && \
	 (CAUSE(t) != NO_CAUSE || !ANY_UNFINISHED(INPUTS(t))))
#endif
#ifdef CARELESS_submit
#define MAY_SUBMIT(t) (STATE(t) == HELD && CAUSE(t) == NO_CAUSE && !ANY_HELD(UNTIL_SUBMITTED(t)))
#else
#define MAY_SUBMIT(t) \
	(STATE(t) == HELD && CAUSE(t) == NO_CAUSE && !ANY_HELD(UNTIL_SUBMITTED(t)) && \
	 !ANY_UNFINISHED(UNTIL_ENDED(t)))
#endif

/* What t reads is known to be lost, though not all of it has ended: that is the cause, when it is refused. */
inline taint_by_input()
{
	other = 0;
	do
	:: other < TASKS && !(IN(INPUTS(task), other) && CAUSE(other) != NO_CAUSE) -> other++
	:: else -> break
	od;
	TAINT(task, other);
	other = 0
}

/* One task moves on. */
inline move_on()
{
	if
	:: CAN_RUN(task) -> run_well(); CHECK
	:: CAN_RUN(task) && failures < FAILURES -> failures++; put(); run_badly(); CHECK
	:: (CAN_RUN(task) && IS_AFTER_REFUSED(task)) || CAN_GIVE_UP(task) -> run_badly()
	:: MAY_END(task) -> see_end()
	:: MAY_SUBMIT(task) -> imply_events(); submit(task)
	:: MAY_SUBMIT(task) && failures < FAILURES && !ANY_FAILED(INPUTS(task)) -> failures++; fail(task, 1 + task)
#if FAILURES > 1
	:: MAY_SUBMIT(task) && failures < FAILURES && ANY_FAILED(INPUTS(task)) -> failures++; taint_by_input()
#endif
	:: STATE(task) == HELD && CAUSE(task) != NO_CAUSE -> end_held(task)
	fi;
	if
	:: STATE(task) == ENDING -> tell(); clear()
	:: STATE(task) != ENDING -> skip
	fi
}
#define MOVES(t) (CAN_RUN(t) || CAN_GIVE_UP(t) || MAY_END(t) || MAY_SUBMIT(t) || (STATE(t) == HELD && CAUSE(t) != NO_CAUSE))
