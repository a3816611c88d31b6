/* check.c - whether a description that was read makes sense. */
#include <stdlib.h>
#include <string.h>

#include "description.h"

int description_argument(const struct description *description, const char *name)
{
	for (int i = 0; i < description->arguments; i++)
		if (strcmp(description->argument[i].name, name) == 0)
			return i;
	return -1;
}

bool times(int64_t a, int64_t b, int64_t *product_p)
{
	if (b && a > INT64_MAX / b)
		return false;
	*product_p = a * b;
	return true;
}

int64_t argument_elements(const struct argument *argument)
{
	int64_t elements = 1;

	for (int d = 0; d < argument->rank; d++)
		elements *= argument->size[d];
	return elements;
}

bool argument_is_read_whole(const struct argument *argument)
{
	return argument->property == INPUT && !argument->has_shadow;
}

/* ---- one argument ---------------------------------------------------------------------------- */

static const char *more_or_fewer(int count, int wanted)
{
	return count > wanted ? "more" : "fewer";
}

/* An array has at most half the bytes that can be counted, so that the sum of two sizes can be, too. */
static bool check_array(const struct argument *argument, struct refusal *refusal)
{
	int64_t bytes = (int64_t)HET_TYPE_BYTES(argument->type->het);

	if (!argument->rank)
		return refuse(refusal, argument->line, "argument '%s' has no <arg_size>", argument->name);
	if (argument->value_line)
		return refuse(refusal, argument->value_line,
			      "argument '%s' is an array (<cl_mem> 1): it has no <value>", argument->name);
	if (argument->origin_line && argument->origin_rank != argument->rank)
		return refuse(refusal, argument->origin_line, "the <origin> of '%s' has %s dimensions than it",
			      argument->name, more_or_fewer(argument->origin_rank, argument->rank));
	for (int d = 0; d < argument->rank; d++)
		if (!times(bytes, argument->size[d], &bytes) || bytes > INT64_MAX / 2)
			return refuse(refusal, argument->line,
				      "argument '%s' has more bytes than can be counted", argument->name);
	return true;
}

static bool check_number(const struct argument *argument, struct refusal *refusal)
{
	uint64_t value;

	if (argument->rank || argument->has_shadow)
		return refuse(refusal, argument->line, "argument '%s' is a number (<cl_mem> 0): it has no %s",
			      argument->name, argument->rank ? "<arg_size>" : "<shadow>");
	if (argument->origin_line)
		return refuse(refusal, argument->origin_line,
			      "argument '%s' is a number (<cl_mem> 0): it has no <origin>", argument->name);
	if (argument->property == OUTPUT)
		return refuse(refusal, argument->line, "argument '%s' is a number: it cannot be the output",
			      argument->name);
	if (*argument->value && !type_value(argument->type, argument->value, &value))
		return refuse(refusal, argument->line, "the <value> of '%s' is no number of type %s: '%s'",
			      argument->name, argument->type->name, argument->value);
	return true;
}

static bool check_argument(const struct argument *argument, struct refusal *refusal)
{
	if (!*argument->name)
		return refuse(refusal, argument->line, "an argument without a <name>");
	if (argument->property == NOT_SAID)
		return refuse(refusal, argument->line, "argument '%s' has no <property>", argument->name);
	if (!argument->type)
		return refuse(refusal, argument->line, "argument '%s' has no <dataType>", argument->name);
	if (*argument->becomes && argument->property != OUTPUT)
		return refuse(refusal, argument->becomes_line,
			      "'%s' is an input: only the output becomes another", argument->name);
	return argument->is_memory ? check_array(argument, refusal) : check_number(argument, refusal);
}

/* ---- the kernel's space ---------------------------------------------------------------------- */

/* A list has as many numbers as <global>, or (line 0) is not there. */
static bool check_list(const char *list, int count, int line, int rank, struct refusal *refusal)
{
	return !line || count == rank ||
	       refuse(refusal, line, "<%s> has %s dimensions than <global>", list, more_or_fewer(count, rank));
}

static bool check_space(const struct description *d, struct refusal *refusal)
{
	int64_t points = 1;

	if (!d->kernel_line)
		return refuse(refusal, 0, "there is no <kernel>");
	if (!*d->file && !*d->function)
		return refuse(refusal, d->kernel_line, "the kernel has no <name>");
	if (!d->rank)
		return refuse(refusal, d->kernel_line, "the kernel has no <global> size");
	if (!check_list("offset", d->offset_rank, d->offset_line, d->rank, refusal) ||
	    !check_list("local", d->local_rank, d->local_line, d->rank, refusal))
		return false;
	for (int i = 0; i < d->rank; i++) {
		if (!times(points, d->global[i], &points) || d->offset[i] > INT64_MAX - d->global[i])
			return refuse(refusal, d->kernel_line, "there are more work-items than can be counted");
		if (d->grouped && d->global[i] % d->local[i])
			return refuse(refusal, d->kernel_line,
				      "%lld work-items are no multiple of a work-group's %lld (dimension %d)",
				      (long long)d->global[i], (long long)d->local[i], i);
	}
	return true;
}

/* What the kernel is called where that is not said: as its file, without the ending. */
static void name_function(struct description *d)
{
	const char *const slash = strrchr(d->file, '/');
	char *dot;

	if (*d->function)
		return;
	memmove(d->function, slash ? slash + 1 : d->file, strlen(slash ? slash + 1 : d->file) + 1);
	dot = strrchr(d->function, '.');
	if (dot)
		*dot = '\0';
}

/* ---- both together --------------------------------------------------------------------------- */

static const char axis[] = "xyz";

/* Do all work-items find the element at `point` from their own inside of the argument? NULL: their own. */
static bool check_reach(const struct description *d, const struct argument *argument, const int64_t *point,
			int line, struct refusal *refusal)
{
	for (int i = 0; i < d->rank; i++) {
		const int64_t size = argument->size[i], step = point ? point[i] : 0;
		const int64_t last = d->global[i] - 1; /* counted from the first */
		int64_t first = d->offset[i];
		bool inside = first < size && argument->origin[i] < size && last < size && step > -size &&
			      step < size;

		if (inside) /* so that no sum is too large */
			first += argument->origin[i];
		inside = inside && first < size && last < size - first;
		if (inside && (argument->clipped || (first + step >= 0 && first + last + step < size)))
			continue;
		return refuse(refusal, line, "%swork-items %s outside of '%s' along %c (%lld)",
			      point ? "with this point " : "", point ? "reach" : "lie", argument->name, axis[i],
			      (long long)size);
	}
	return true;
}

static bool check_points(const struct description *d, const struct argument *argument, struct refusal *refusal)
{
	if (argument->property == OUTPUT && argument->has_shadow)
		return refuse(refusal, argument->line,
			      "'%s' is the output: shadow points belong to what is read", argument->name);
	if (argument_is_read_whole(argument))
		return true;
	if (argument->rank != d->rank)
		return refuse(refusal, argument->line, "'%s' has %d dimension%s, the kernel's space %d",
			      argument->name, argument->rank, argument->rank == 1 ? "" : "s", d->rank);
	if (!check_reach(d, argument, NULL, argument->line, refusal))
		return false;
	if (argument->points && argument->point_rank != d->rank)
		return refuse(refusal, argument->point_line[0], "a point of %s than %d dimension%s",
			      more_or_fewer(argument->point_rank, d->rank), d->rank, d->rank == 1 ? "" : "s");
	for (int p = 0; p < argument->points; p++)
		if (!check_reach(d, argument, argument->point[p], argument->point_line[p], refusal))
			return false;
	return true;
}

static bool find_output(struct description *d, struct refusal *refusal)
{
	d->output = -1;
	for (int i = 0; i < d->arguments; i++) {
		if (d->argument[i].property != OUTPUT)
			continue;
		if (d->output >= 0)
			return refuse(refusal, d->argument[i].line,
				      "'%s' and '%s' are two outputs; there is to be one",
				      d->argument[d->output].name, d->argument[i].name);
		d->output = i;
	}
	return d->output >= 0 || refuse(refusal, 0, "no argument is the output");
}

/* Can the output take the place of this input? */
static bool alike(const struct argument *a, const struct argument *b)
{
	return a->type == b->type && a->is_memory == b->is_memory && a->rank == b->rank &&
	       memcmp(a->size, b->size, sizeof a->size) == 0 &&
	       memcmp(a->origin, b->origin, sizeof a->origin) == 0;
}

/* What the output becomes: what it says, or else the one input with shadow points that is like it. */
static bool find_successor(struct description *d, struct refusal *refusal)
{
	const struct argument *const output = &d->argument[d->output];
	int found = 0;

	d->successor = -1;
	if (*output->becomes) {
		d->successor = description_argument(d, output->becomes);
		if (d->successor < 0)
			return refuse(refusal, output->becomes_line, "there is no argument '%s'",
				      output->becomes);
		return (d->successor != d->output && alike(&d->argument[d->successor], output)) ||
		       refuse(refusal, output->becomes_line,
			      "'%s' cannot become '%s': another type, size or origin, or itself", output->name,
			      output->becomes);
	}
	for (int i = 0; i < d->arguments; i++)
		if (i != d->output && d->argument[i].has_shadow && alike(&d->argument[i], output)) {
			d->successor = i;
			found++;
		}
	if (found > 1 && d->iterations > 1)
		return refuse(refusal, output->line,
			      "'%s' could become several inputs: say which, <becomes>NAME</becomes>",
			      output->name);
	if (found != 1)
		d->successor = -1;
	return d->successor >= 0 || d->iterations == 1 ||
	       refuse(refusal, output->line,
		      "%lld iterations, and no input with shadow points is like the output '%s'",
		      (long long)d->iterations, output->name);
}

static void find_stencil(struct description *d)
{
	d->stencil = d->successor;
	for (int i = 0; i < d->arguments && d->stencil < 0; i++)
		if (d->argument[i].points)
			d->stencil = i;
}

bool description_check(struct description *description, struct refusal *refusal)
{
	if (!description->arguments)
		return refuse(refusal, 0, "there is no <argument>");
	for (int i = 0; i < description->arguments; i++)
		if (!check_argument(&description->argument[i], refusal))
			return false;
	if (!check_space(description, refusal) || !find_output(description, refusal))
		return false;
	for (int i = 0; i < description->arguments; i++)
		if (description->argument[i].is_memory &&
		    !check_points(description, &description->argument[i], refusal))
			return false;
	name_function(description);
	if (!find_successor(description, refusal))
		return false;
	find_stencil(description);
	return true;
}
