/* replay.c - tests/protocol_replay FILE: does a run keep to the protocol?
 *
 * FILE was written by the library (lib/task/emit.h): one transition a line. Every one is tried on the state
 * that those before it led to, under the guards of commands.h. The first that is not allowed is shown with its
 * line, and the exit status is 1, as it is where nothing was written. At the end the commands are counted.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "states.h"
#include "world.h"

/* ---- the words of commands.h -------------------------------------------------------------------- */

#define NO_CAUSE  0
#define NO_STORES 0
#define NOBODY    NULL
#define NOTHING   (void)0
#define HOME      0

#define STATE(t)           (t)->state
#define LANE(t)            (t)->lane
#define PLACE(t)           (t)->place
#define CAUSE(t)           (t)->cause
#define LENGTH(l)          (l)->length
#define FINISHED(l)        (l)->finished
#define BEFORE(t)          (t)->before
#define EVENTS(t)          (t)->events
#define UNTIL_SUBMITTED(t) (t)->until_submitted
#define UNTIL_ENDED(t)     (t)->until_ended
#define INPUTS(t)          (t)->inputs
#define READERS(k)         (k)->readers
#define WRITERS(k)         (k)->writers
#define SETTLED(b)         (b)->settled
#define PROMISED(b)        (b)->promised
#define PROMISER(b, s)     (b)->promiser[s]
#define POISON(b)          (b)->poison
#define MEMBERS(b)         ((b)->settled | (b)->promised)
#define FORMER(b)          (b)->former
#define FORMERLY_PROMISED(b) (b)->formerly_promised

#define IN(set, t)          set_has(&set, t)
#define ADD(set, t)         set_add(&set, t)
#define REMOVE(set, t)      set_remove(&set, t)
#define KEEP_UNFINISHED(set) set_keep_unfinished(&set)
#define ANY_HELD(set)       set_any_held(&set)
#define ANY_UNFINISHED(set) set_any_unfinished(&set)
#define ANY_FAILED(set)     set_any_failed(&set)
#define ALL_BEFORE(set, t)  set_all_before(&set, t)
#define UNFINISHED(t)       ((t)->state == HELD || (t)->state == SUBMITTED)
#define BECOME(t, s)        (t)->state = s
#define BLAME(t, c)         (t)->cause = c
#define SAME_LANE(t, u)     ((t)->lane == (u)->lane)
#define WAITS_ONLY_FOR_OR_BEHIND(v, u) waits_only_for_or_behind(v, u)
#define SAME_CONTEXT(t, u) \
	(SAME_LANE(t, u) || ((t)->lane->context && (t)->lane->context == (u)->lane->context))

#define ONE(s)              ((uint64_t)1 << (s))
#define HAS(set, s)         (((set) & ONE(s)) != 0)
#define WITH(set, s)        ((set) | ONE(s))
#define WITHOUT(set, s)     ((set) & ~ONE(s))
#define FORGET_FORMER(b, s) \
	((b)->former = WITHOUT((b)->former, s), (b)->formerly_promised = WITHOUT((b)->formerly_promised, s))
#define KEEP_MEMBERS_AS_FORMER(b, s) tile_keep_as_former(b, s)

#define NO_PROMISE_OF(t)              world_has_no_promise_of(t)
#define NO_BOX_WITHOUT_VALUE_OR_CAUSE world_has_values_or_causes()
#define IS_READING(t, b, s)           tile_is_used_by(b, s, t, false)
#define IS_WRITING(t, b, s)           tile_is_used_by(b, s, t, true)
#define IS_READING_A_MEMBER(t, b)     is_reading_a_member(t, b)
#define BEING_READ(b, s)              tile_is_in_use(b, s, false)
#define BEING_WRITTEN(b, s)           tile_is_in_use(b, s, true)

static bool is_reading_a_member(const struct task *t, const struct tile *b)
{
	for (int s = 0; s < HET__STORES; s++)
		if (HAS(MEMBERS(b), s) && IS_READING(t, b, s))
			return true;
	return false;
}

static bool waits_only_for_or_behind(const struct task *v, const struct task *u)
{
	return v->events.count == 1 && SAME_LANE(v->events.at[0], u) && PLACE(v->events.at[0]) >= PLACE(u);
}

/* Every command a function of whatever a command may have, by the names that commands.h gives its parameters.
 * False, and nothing done, where the guard does not hold. */
#define COMMAND(name, parameters, guard, effect)                                                        \
	static bool do_##name(struct task *t, struct task *u, struct task *v, struct tile *b,           \
			      struct tile *k, int s, uintptr_t c, struct lane *l)                       \
	{                                                                                               \
		(void)t, (void)u, (void)v, (void)b, (void)k, (void)s, (void)c, (void)l;                 \
		if (!(guard))                                                                           \
			return false;                                                                   \
		effect;                                                                                 \
		return true;                                                                            \
	}
#include "commands.h"
#undef COMMAND

#define COMMAND(name, parameters, guard, effect) RULE_##name,
enum rule {
#include "commands.h"
	RULES
};
#undef COMMAND

#define COMMAND(name, parameters, guard, effect) {#name, do_##name, 0},
static struct {
	const char *name;
	bool (*run)(struct task *t, struct task *u, struct task *v, struct tile *b, struct tile *k, int s,
		    uintptr_t c, struct lane *l);
	unsigned long count;
} rules[RULES] = {
#include "commands.h"
};

/* ---- reading a line ----------------------------------------------------------------------------- */

/* Where we are, for messages. */
static FILE *file;
static const char *file_name;
static unsigned long line_number;
static char line[1024], *rest; /* what is not yet read of it */

static void fail_line(const char *what)
{
	line[strcspn(line, "\n")] = '\0';
	fprintf(stderr, "%s:%lu: %s: %s\n", file_name, line_number, line, what);
	while (fgets(line, sizeof line, file))
		; /* who writes into a pipe is to end by itself */
	exit(EXIT_FAILURE);
}

static uintptr_t read_address(void)
{
	return (uintptr_t)strtoull(rest, &rest, 16);
}

static int64_t read_number(void)
{
	return strtoll(rest, &rest, 10);
}

static uint64_t read_id(void)
{
	if (*rest != '.')
		fail_line("that is not a task");
	return strtoull(rest + 1, &rest, 10);
}

/* NULL: the host. */
static struct task *read_task(void)
{
	uintptr_t slot = read_address();
	uint64_t id = read_id();

	return slot ? world_task(slot, id) : NULL;
}

static struct het__box read_box(int *rank)
{
	struct het__box box = {0};

	*rank = (int)read_number();
	if (*rank < 1 || *rank > HET_MAX_RANK)
		fail_line("that is not a box");
	for (int d = 0; d < *rank; d++) {
		box.lo[d] = read_number();
		box.hi[d] = read_number();
	}
	return box;
}

/* ---- transitions, by what their lines hold ------------------------------------------------------- */

/* What a command is about; each needs some of it. */
struct arguments {
	struct task *t, *u, *v;
	int s;
	uintptr_t c;
	struct lane *l;
};

static void run(enum rule rule, const struct arguments *a, struct tile *tile)
{
	char text[128];

	if (rules[rule].run(a->t, a->u, a->v, tile, tile, a->s, a->c, a->l))
		return;
	snprintf(text, sizeof text, "not allowed here by the guard of \"%s\"", rules[rule].name);
	fail_line(text);
}

static void run_in_box(enum rule rule, const struct arguments *a, struct space *space,
                       const struct het__box *box)
{
	space_cut(space, box);
	for (int i = 0; i < space->count; i++)
		if (tile_is_in(space->tile[i], box))
			run(rule, a, space->tile[i]);
}

/* make TASK lane context */
static void make(enum rule rule)
{
	uintptr_t slot = read_address();
	struct arguments a = {.t = world_new_task(slot, read_id())};

	a.l = world_lane(read_address());
	a.l->context = read_address();
	run(rule, &a, NULL);
}

/* hold TASK */
static void of_task(enum rule rule)
{
	const struct arguments a = {.t = read_task()};

	run(rule, &a, NULL);
}

/* follow TASK TASK */
static void of_pair(enum rule rule)
{
	struct arguments a = {.t = read_task()};

	a.u = read_task();
	run(rule, &a, NULL);
}

/* imply_by_event TASK TASK TASK */
static void of_three(enum rule rule)
{
	struct arguments a = {.t = read_task()};

	a.u = read_task();
	a.v = read_task();
	run(rule, &a, NULL);
}

/* fail TASK cause */
static void of_cause(enum rule rule)
{
	struct arguments a = {.t = read_task()};

	a.c = read_address();
	run(rule, &a, NULL);
}

/* settle VALUE store TASK box */
static void of_value(enum rule rule)
{
	struct space *value = world_value(read_address());
	struct arguments a = {.s = (int)read_number()};
	struct het__box box;
	int rank;

	a.t = read_task();
	box = read_box(&rank);
	if (rank != value->rank)
		fail_line("nothing is known of that value");
	run_in_box(rule, &a, value, &box);
}

/* begin_read BLOCK 0 TASK box */
static void of_block(enum rule rule)
{
	uintptr_t at = read_address();
	struct arguments a = {.s = (int)read_number()};
	struct het__box box;
	int rank;

	a.t = read_task();
	box = read_box(&rank);
	run_in_box(rule, &a, world_block(at, rank), &box);
}

/* collapse_read BLOCK TASK TASK box */
static void of_two_in_block(enum rule rule)
{
	uintptr_t at = read_address();
	struct arguments a = {.t = read_task()};
	struct het__box box;
	int rank;

	a.u = read_task();
	box = read_box(&rank);
	run_in_box(rule, &a, world_block(at, rank), &box);
}

/* host_refuse VALUE cause box */
static void of_refusal(enum rule rule)
{
	struct space *value = world_value(read_address());
	const struct arguments a = {.c = read_address()};
	int rank;
	struct het__box box = read_box(&rank);

	run_in_box(rule, &a, value, &box);
}

/* free_block BLOCK 0 0 */
static void free_block(enum rule rule)
{
	const struct arguments a = {0};
	uintptr_t at = read_address();
	const struct space *block = world_known_block(at);

	for (int i = 0; block && i < block->count; i++)
		run(rule, &a, block->tile[i]);
	if (block)
		world_end_block(at);
}

/* end TASK cause: one of three commands. */
static void end(enum rule rule)
{
	const struct arguments a = {.t = read_task()};

	if (read_address() != a.t->cause)
		fail_line("that is not the cause that the task had");
	rule = a.t->cause == NO_CAUSE ? RULE_succeed : a.t->state == HELD ? RULE_end_held : RULE_end_failed;
	run(rule, &a, NULL);
	rules[rule].count++;
}

/* new_value VALUE 0 0.0 box */
static void new_value(enum rule rule)
{
	uintptr_t at = read_address();
	struct het__box whole;
	int rank;

	(void)rule;
	(void)read_number();
	(void)read_task();
	whole = read_box(&rank);
	world_new_value(at, rank, &whole);
}

/* new_store VALUE store BLOCK */
static void new_store(enum rule rule)
{
	struct space *value = world_value(read_address());
	int store = (int)read_number();

	(void)rule;
	if (store < 0 || store >= HET__STORES)
		fail_line("that is not a store");
	value->store[store] = world_block(read_address(), 0);
}

/* end_value VALUE 0 0 */
static void end_value(enum rule rule)
{
	(void)rule;
	world_end_value(read_address());
}

/* process number */
static void begin_process(enum rule rule)
{
	(void)rule;
	world_end();
}

static const struct {
	const char *name;
	void (*replay)(enum rule rule);
} lines[] = {
	{"begin_read", of_block},
	{"begin_write", of_block},
	{"follow", of_pair},
	{"make", make},
	{"submit", of_task},
	{"end", end},
	{"leave", of_task},
	{"read_from", of_value},
	{"write", of_value},
	{"join", of_value},
	{"settle", of_value},
	{"collapse_read", of_two_in_block},
	{"collapse_write", of_two_in_block},
	{"depend", of_pair},
	{"await_event", of_pair},
	{"imply_by_event", of_three},
	{"imply_by_queue", of_three},
	{"hold", of_task},
	{"hold_until_submitted", of_pair},
	{"hold_until_ended", of_pair},
	{"host_read", of_value},
	{"host_write", of_value},
	{"host_refuse", of_refusal},
	{"forget", of_value},
	{"settle_former", of_value},
	{"break_former", of_value},
	{"restore", of_value},
	{"restore_promised", of_value},
	{"break_promise", of_value},
	{"lose", of_value},
	{"taint", of_pair},
	{"taint_by_box", of_value},
	{"fail", of_cause},
	{"cancel", of_task},
	{"free_block", free_block},
	{"new_value", new_value},
	{"new_store", new_store},
	{"end_value", end_value},
	{"process", begin_process},
};
#define LINES (sizeof lines / sizeof lines[0])

/* RULES: the line is not a command's name. */
static enum rule find_rule(const char *name)
{
	int i = 0;

	while (i < RULES && strcmp(rules[i].name, name) != 0)
		i++;
	return (enum rule)i;
}

/* Finds both for a name once, for the names are few and the lines many. */
static void replay_line(void)
{
	static enum rule rule_of[LINES];
	static bool known[LINES];
	size_t length = strcspn(line, " \n"), i = 0;

	while (i < LINES && (strncmp(lines[i].name, line, length) != 0 || lines[i].name[length]))
		i++;
	if (i == LINES)
		fail_line("there is no such transition");
	if (!known[i])
		rule_of[i] = find_rule(lines[i].name);
	known[i] = true;
	rest = line + length;
	lines[i].replay(rule_of[i]);
	if (rule_of[i] < RULES)
		rules[rule_of[i]].count++;
}

static int report(void)
{
	unsigned long sum = 0;

	for (int i = 0; i < RULES; i++) {
		printf("%9lu %s\n", rules[i].count, rules[i].name);
		sum += rules[i].count;
	}
	printf("%9lu transitions\n", sum);
	return sum == 0;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: protocol_replay FILE\n");
		return 2;
	}
	file_name = argv[1];
	file = fopen(file_name, "r");
	if (!file) {
		perror(file_name);
		return 2;
	}
	while (fgets(line, sizeof line, file)) {
		line_number++;
		replay_line();
	}
	fclose(file);
	world_end();
	return report();
}
