/* scenario_pipeline.c - the pipeline of examples/pipeline as a scenario: two kernels on two devices, and the
 * host beside them. */
#include "gives_up.h"

/* The system is the test's. */
static het_system *given;
#define het_open(options, system_p) ((void)(options), *(system_p) = given, HET_OK)
#define main pipeline_main
#include "../examples/pipeline/pipeline.c"
#undef main
#undef het_open

#include "scenarios.h"

enum { STEPS = 4, SIZE = 160 };

static const struct options sizes = {NULL, STEPS, SIZE};
static struct pipeline made;

/* Named `go`, for the example has its own `run`. */
static het_status go(het_system *system)
{
	static struct step steps[STEPS];

	given = system;
	made = (struct pipeline){.input = NULL};
	if (setjmp(gave_up))
		return reason;
	made = open_pipeline(&sizes);
	run(&made, steps);
	return HET_OK;
}

static het_status look(void)
{
	float values[SIZE];

	return made.output ? het_read(het_view(made.output, het_whole()), values) : HET_OK;
}

static float zero_at(int frame, int i, int size)
{
	(void)frame;
	(void)i;
	(void)size;
	return 0.0f;
}

static float sample_at(int frame, int i, int size)
{
	(void)size;
	return sample(frame, i);
}

typedef float (*maker)(int frame, int i, int size);

static bool is_frame(const float *values, maker make, int frame)
{
	for (int i = 0; i < SIZE; i += 13)
		if (!(fabsf(values[i] - make(frame, i, SIZE)) <= 4e-7f))
			return false;
	return true;
}

/* Either lost or one of the frames, or nothing yet. Returns whether it is lost. */
static bool check_frame(const char *what, het_array *array, maker make, bool complete)
{
	float values[SIZE];
	bool right;

	if (!array || !can_read(het_view(array, het_whole()), values))
		return array != NULL;
	right = !complete && is_frame(values, zero_at, 0);
	for (int frame = 0; frame < STEPS; frame++)
		right |= is_frame(values, make, frame);
	ck_assert_msg(right, "%s is no frame: %.9g, %.9g, %.9g...", what, (double)values[0], (double)values[1],
		      (double)values[2]);
	return false;
}

/* The spare holds the frame before that of `middle`; in the end the output is of the same frame as `middle`.
 * One task is for one frame. */
static void check_losses(bool complete, enum loss loss)
{
	const bool middle = check_frame("middle", made.middle, f0_at, complete),
		   spare = check_frame("spare middle", made.middle_spare, f0_at, complete),
		   output = check_frame("output", made.output, f1_at, complete);

	ck_assert_msg(loss != NO_LOSS || !(middle || spare || output), "a frame is lost for nothing");
	ck_assert_msg(loss != ONE_READ || !(middle || spare), "a transfer lost its source");
	if (loss == SOME_LAUNCHES)
		return;
	ck_assert_msg(!(middle && spare), "one task lost two frames");
	ck_assert_msg(!complete || !(spare && output), "one task lost a frame and another's result");
	ck_assert_msg(!complete || !middle || output, "what was made of a lost frame is there");
}

static void check(bool complete, enum loss loss)
{
	het_array **const arrays[] = {&made.input, &made.input_spare, &made.middle, &made.middle_spare,
				      &made.output};
	int lost = check_frame("input", made.input, sample_at, complete) +
		   check_frame("spare input", made.input_spare, sample_at, complete);

	ck_assert_msg(!lost, "what the host wrote is lost");
	check_losses(complete, loss);
	ck_assert_int_eq(made.wrong, 0);
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		drop_array(arrays[i]);
	if (made.f0)
		ck_assert_int_eq(het_kernel_free(made.f0), HET_OK);
	if (made.f1)
		ck_assert_int_eq(het_kernel_free(made.f1), HET_OK);
}

const struct scenario pipeline_scenario = {"pipeline", go, look, check, free_blocks};
