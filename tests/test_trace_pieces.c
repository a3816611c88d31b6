/* test_trace_pieces.c - HETERO_TRACE of spreads whose edges are launched apart: edges and interiors are told
 * from each other, and what brings the halo goes beside the interiors. */
#include "face.h"

#include <stdio.h>
#include <stdlib.h>

#include "fakes.h"
#include "platforms.h"

#ifdef HAVE_JANSSON
#include "scene.h"
#include "timeline.h"

/* Of the range [1, N - 1) each of two cards has a half. */
enum { STEPS = 4, CUT = N / 2 };

static const char text[] = "kernel void three(global int *out, global const int *in)\n"
			   "{ int i = get_global_id(0); out[i] = in[i - 1] + in[i] + in[i + 1]; }\n";

static const char *const card[] = {"pocl:gpu0", "pocl:gpu1"};
static const char *const array[] = {"even", "odd"};

/* Lines of the log about edges and interiors. */
struct told {
	int edges, interiors, whole;
};

static bool begins(const char *line, const char *words)
{
	return strncmp(line, words, strlen(words)) == 0;
}

static void count_line(void *user, enum het_log_level level, const char *line)
{
	struct told *const told = user;

	(void)level;
	told->edges += begins(line, "[task] three (edge) on ");
	told->interiors += begins(line, "[task] three (interior) on ");
	told->whole += begins(line, "[task] three on ");
}

/* Each step reads what the one before has written. Returns the events. */
static json_t *trace_of_steps(const char *order, enum het_overlap overlap, struct told *told)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_array *step_of[2];
	het_system *system;
	het_kernel *three;
	het_team *team;

	*told = (struct told){0, 0, 0};
	options.log = count_line;
	options.log_user = told;
	options.log_level = HET_LOG_TRACE;
	timeline_to("pieces.json");
	setenv("HETERO_QUEUES", "2", 1);
	start_on("one-context", order);
	ok(het_open(&options, &system));
	three = text_kernel(system, text, "three");
	team = het_everyone(system);
	for (int i = 0; i < 2; i++) {
		step_of[i] = counting_array(system, N);
		ok(het_array_name(step_of[i], array[i]));
	}
	ok(het_team_set_shares(team, (double[]){1, 1}));
	ok(het_team_overlap(team, overlap));
	for (int step = 0; step < STEPS; step++)
		ok(het_spread(three, team, het_range(1, 1, N - 1), HET_OUT(HET_EACH(step_of[(step + 1) % 2])),
			      HET_IN(HET_HALO(step_of[step % 2], 1))));
	ck_assert_int_eq(element(step_of[STEPS % 2], CUT), 81 * CUT);
	ok(het_close(system));
	return timeline_load_checked();
}

/* Of a card's kernels with this name number `which`. */
static const json_t *kernel_on(const json_t *events, int d, const char *name, int which)
{
	const json_t *event;
	size_t i;

	json_array_foreach(events, i, event)
		if (is_slice(event, "kernel") && is(event, "name", name) &&
		    strcmp(row_of(events, event), card[d]) == 0 && which-- == 0)
			return event;
	ck_abort_msg("too few of %s on %s", name, card[d]);
}

/* The row that a card needs of the other for a step: beside its kernels, among its copies. */
static const json_t *halo_for(const json_t *events, int d, int step)
{
	int which = (step - 1) / 2; /* of those of the same array */
	const json_t *event;
	char name[64], box[32], row[64];
	size_t i;

	snprintf(name, sizeof name, "%s to %s", array[step % 2], card[d]);
	snprintf(box, sizeof box, "[%d:%d]", CUT - d, CUT - d + 1);
	snprintf(row, sizeof row, "%s copies", card[d]);
	json_array_foreach(events, i, event)
		if (is_slice(event, "transfer") && is(event, "name", name) && is(args(event), "box", box) &&
		    strcmp(row_of(events, event), row) == 0 && which-- == 0)
			return event;
	ck_abort_msg("no %s %s for step %d in %s", name, box, step, row);
}

static bool is_in(const json_t *slice, const json_t *point)
{
	return number(slice, "pid") == number(point, "pid") && number(slice, "tid") == number(point, "tid") &&
	       not_after(number(slice, "ts"), number(point, "ts")) &&
	       number(point, "ts") < number(slice, "ts") + number(slice, "dur");
}

/* Is there an arrow from one slice to the beginning of another? */
static bool leads_to(const json_t *events, const json_t *from, const json_t *to)
{
	const json_t *tail, *head;
	size_t i, k;

	json_array_foreach(events, i, tail) {
		if (!is(tail, "ph", "s") || !is_in(from, tail))
			continue;
		json_array_foreach(events, k, head)
			if (is(head, "ph", "f") && number(head, "id") == number(tail, "id") &&
			    number(head, "tid") == number(to, "tid") && number(head, "ts") == number(to, "ts"))
				return true;
	}
	return false;
}

static void is_piece(const json_t *slice, const char *piece, int step, int lo, int hi)
{
	char wanted[96];

	snprintf(wanted, sizeof wanted, "out %s [%d:%d], in %s [%d:%d]", array[(step + 1) % 2], lo, hi,
		 array[step % 2], lo - 1, hi + 1);
	ck_assert_str_eq(word(args(slice), "piece"), piece);
	ck_assert_str_eq(word(args(slice), "arrays"), wanted);
}

/* An edge reads the row that was brought for it, which the other card's edge wrote in the step before.
 * Interiors have to do with neither end of that transfer, which was started before them. */
static void check_step(const json_t *events, int d, int step)
{
	const json_t *const edge = kernel_on(events, d, "three (edge)", step);
	const json_t *const interior = kernel_on(events, d, "three (interior)", step);
	const json_t *halo;

	is_piece(edge, "edge", step, CUT - 1 + d, CUT + d);
	is_piece(interior, "interior", step, d ? CUT + 1 : 1, d ? N - 1 : CUT - 1);
	ck_assert(number(args(interior), "task") < number(args(edge), "task"));
	if (step == 0)
		return;
	halo = halo_for(events, d, step);
	ck_assert_str_eq(word(args(halo), "from"), card[!d]);
	ck_assert_str_eq(word(args(halo), "why"), "three arg 1 uses it");
	ck_assert_str_eq(word(args(halo), "written_by"), "three");
	ck_assert(leads_to(events, kernel_on(events, !d, "three (edge)", step - 1), halo));
	ck_assert(leads_to(events, halo, edge));
	ck_assert(!leads_to(events, kernel_on(events, !d, "three (interior)", step - 1), halo));
	ck_assert(!leads_to(events, halo, interior));
	for (int other = 0; other < 2; other++)
		ck_assert(number(args(halo), "task") <
			  number(args(kernel_on(events, other, "three (interior)", step)), "task"));
}

START_TEST(edges_and_interiors)
{
	static const char *const orders[] = {"fifo", "late", "random:5"};
	struct told told;
	json_t *const events = trace_of_steps(orders[_i], HET_OVERLAP_ALWAYS, &told);

	ck_assert_int_eq(slices(events, "kernel", NULL), 4 * STEPS);
	for (int step = 0; step < STEPS; step++)
		for (int d = 0; d < 2; d++)
			check_step(events, d, step);
	ck_assert_int_eq(told.edges, 2 * STEPS);
	ck_assert_int_eq(told.interiors, 2 * STEPS);
	ck_assert_int_eq(told.whole, 0);
	json_decref(events);
}
END_TEST

/* What is not cut bears the kernel's name alone. */
START_TEST(whole_parts)
{
	const json_t *event;
	struct told told;
	json_t *const events = trace_of_steps("fifo", HET_OVERLAP_NEVER, &told);
	size_t i;

	ck_assert_int_eq(slices(events, "kernel", "three"), 2 * STEPS);
	json_array_foreach(events, i, event)
		ck_assert_ptr_null(json_object_get(args(event), "piece"));
	ck_assert_int_eq(told.edges + told.interiors, 0);
	ck_assert_int_eq(told.whole, 2 * STEPS);
	json_decref(events);
}
END_TEST

int main(void)
{
	int ended;

	setenv("HETERO_CACHE", het_test_subfolder("cache"), 1);
	ended = run_fake_loop("pieces of spreads in traces", edges_and_interiors, 3, 60);
	return ended ? ended : run_fake_tests("parts in traces", 1, (const TTest *const[]){whole_parts});
}

#else

int main(void)
{
	fprintf(stderr, "libjansson is missing: not tested\n");
	return 77;
}

#endif
