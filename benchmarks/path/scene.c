/* scene.c - a scene: its terrain, the target, and costs at first. */

#include "path/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words for points: parts of the way from north to south and from west to east. */
static const struct {
	const char *name;
	double down, right;
} words[] = {{"nw", 0, 0}, {"ne", 0, 1}, {"sw", 1, 0}, {"se", 1, 1}};

/* Finds a point, or ends the program. An unknown height is the terrain's fault, and no wrong usage. */
static void find_point(const struct path_problem *p, const char *option, const char *text, int *row, int *col)
{
	long down = p->rows / 2, right = p->cols / 2;
	char rest;

	if (strcmp(text, "centre") != 0 && sscanf(text, "%ld,%ld%c", &down, &right, &rest) != 2) {
		size_t i = 0;

		while (i < sizeof words / sizeof *words && strcmp(words[i].name, text) != 0)
			i++;
		if (i == sizeof words / sizeof *words)
			bench_refuse("path", option, text, "there is no such point");
		down = (long)(words[i].down * (p->rows - 1));
		right = (long)(words[i].right * (p->cols - 1));
	}
	if (down < 0 || down >= p->rows || right < 0 || right >= p->cols)
		bench_refuse("path", option, text, "not on the terrain");
	*row = (int)down;
	*col = (int)right;
	if (isnan(p->height[path_place(p, *row, *col)])) {
		fprintf(stderr, "path: %s %s: its height is not known\n", option, text);
		exit(EXIT_FAILURE);
	}
}

/* The target's 0 is there already: zero bytes, in either precision. */
static void set_costs(struct path_problem *p)
{
	const size_t places = path_places(p), bytes = path_cost_bytes(p);
	const float single = INFINITY;
	const double both = INFINITY;
	char *const cost = bench_new(places * bytes);

	for (size_t i = 0; i < places; i++)
		if (i != path_place(p, p->target_row, p->target_col))
			memcpy(cost + i * bytes, p->is_double ? (const void *)&both : &single, bytes);
	p->cost = cost;
}

const struct scene_problem *scene_make(const struct scene *scene)
{
	struct scene_problem *const p = bench_new(sizeof *p);
	struct path_problem *const q = &p->problem;

	p->scene = *scene;
	q->name = scene->name;
	q->batch = scene->batch;
	q->is_double = !scene->is_single;
	if (scene->prefix)
		scene_may_write(p);
	scene_ground(p);
	find_point(q, "--target", scene->target, &q->target_row, &q->target_col);
	p->from_row = p->from_col = -1; /* not known before the costs are */
	if (strcmp(scene->from, "farthest") != 0)
		find_point(q, "--from", scene->from, &p->from_row, &p->from_col);
	if (p->from_row >= 0 && !scene->prefix)
		bench_refuse("path", "--from", scene->from,
			     "it goes with --write, whose picture has that path");
	set_costs(q);
	return p;
}
