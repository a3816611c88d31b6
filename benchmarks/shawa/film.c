/* film.c - a sea in motion: pictures of its depth and contaminant at equal times or after equal numbers of
 * steps, and a page that plays them. */

#include "shawa/scene.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "output.h"

static const char head[] =
	"<!DOCTYPE html>\n<html lang='en'>\n<meta charset='utf-8'>\n<title>ShaWa</title>\n<style>\n"
	"body{font:15px/1.5 sans-serif;background:#223;color:#eee;margin:1em}\n"
	"main{display:flex;gap:1em}figure{flex:1;margin:0}img{width:100%}input{width:60%}\n"
	"</style>\n<main><figure><img id='depth'><figcaption>depth</figcaption></figure>\n"
	"<figure><img id='contaminant'><figcaption>contaminant</figcaption></figure></main>\n"
	"<p><button id='play'>stop</button> <input id='at' type='range' min='0' value='0'>\n"
	"<output id='time'></output></p>\n<script>\n";

static const char player[] =
	"const at = document.getElementById('at'), play = document.getElementById('play');\n"
	"const start = encodeURIComponent(prefix);\n"
	"const name = (what, i) => start + '-' + what + '-' + String(i).padStart(4, '0') + '.png';\n"
	"const kept = [];  // so that none is fetched twice\n"
	"let runs = true;\n"
	"function show(i) {\n"
	"  for (const what of ['depth', 'contaminant']) document.getElementById(what).src = name(what, i);\n"
	"  document.getElementById('time').value = times[i];\n"
	"}\n"
	"for (let i = 0; i < times.length; i++) for (const what of ['depth', 'contaminant']) {\n"
	"  kept.push(new Image()); kept[kept.length - 1].src = name(what, i);\n"
	"}\n"
	"at.max = times.length - 1;\n"
	"at.oninput = () => show(at.value);\n"
	"play.onclick = () => { runs = !runs; play.textContent = runs ? 'stop' : 'play'; };\n"
	"setInterval(() => { if (runs) { at.value = (+at.value + 1) % times.length; show(at.value); } }, "
	"100);\n"
	"show(0);\n</script>\n</html>\n";

/* Writes a text in quotes, for JavaScript in a page. */
static void put_quoted(FILE *to, const char *text)
{
	fputc('\'', to);
	for (; *text; text++)
		if (strchr("'\\<", *text) || (unsigned char)*text < ' ')
			fprintf(to, "\\x%02x", (unsigned char)*text);
		else
			fputc(*text, to);
	fputc('\'', to);
}

/* A time as it is shown, in units that suit when all of it ends. */
static void put_time(FILE *to, double seconds, double end)
{
	const long whole = lround(end < 3600 ? seconds : seconds / 60); /* seconds, or minutes */
	int digits = 1;

	while (digits < 6 && end * pow(10, digits) < 100)
		digits++;
	if (end < 60)
		fprintf(to, "'%.*f s'", digits, seconds);
	else
		fprintf(to, "'%ld %s %02ld %s'", whole / 60, end < 3600 ? "min" : "h", whole % 60,
			end < 3600 ? "s" : "min");
}

/* Writes the page beside the pictures, which it names without their folder. */
static void write_page(const struct scene_problem *p, const double *seconds, int frames)
{
	const char *const slash = strrchr(p->scene.prefix, '/');
	char path[PATH_MAX];
	struct output output;
	FILE *to;

	snprintf(path, sizeof path, "%s.html", p->scene.prefix);
	to = output_open(&output, path);
	if (to) {
		fprintf(to, "%sconst prefix = ", head);
		put_quoted(to, slash ? slash + 1 : p->scene.prefix);
		fputs(", times = [", to);
		for (int i = 0; i <= frames; i++) {
			fputs(i ? ", " : "", to);
			put_time(to, seconds[i], seconds[frames]);
		}
		fprintf(to, "];\n%s", player);
	}
	scene_complain("--frames", path, to ? output_close(&output, 0) : strerror(errno));
}

static void write_frame(const struct scene_problem *p, int frame)
{
	char name[32];

	snprintf(name, sizeof name, "depth-%04d", frame);
	scene_picture(p, p->state, name, 0);
	snprintf(name, sizeof name, "contaminant-%04d", frame);
	scene_picture(p, p->state, name, 1);
}

/* Computes so many steps from where the frame before ended. */
static void go_on(struct scene_problem *p, struct bench_clock *clock, int steps)
{
	const struct shawa_result *result;

	p->problem.steps = steps;
	bench_to_start(clock);
	result = bench_to_stop(clock, NULL);
	memcpy(p->state, result->state, 4 * shawa_cells(&p->problem.sea) * sizeof *p->state);
	p->problem.start = result->clock[p->problem.steps];
	bench_to_round(clock);
}

/* ---- when -------------------------------------------------------------------------------------- */

/* How many steps were made before time was over: those after them changed nothing. */
static int steps_made(const struct scene_problem *p)
{
	int steps = p->problem.steps;

	while (steps > 0 && p->clock[steps] <= p->clock[steps - 1])
		steps--;
	return steps;
}

/* The step after `last` that ends nearest to a time, at most `most`. */
static int step_near(const double *clock, double time, int last, int most)
{
	int step = last + 1;

	while (step < most && fabs(clock[step + 1] - time) < fabs(clock[step] - time))
		step++;
	return step;
}

/* Chooses after how many of the steps made each frame shows the sea: at equal times where the run ended by
 * time, else after equal numbers of steps. There are no fewer steps than frames; no step has two frames. */
static void choose_steps(const struct scene_problem *p, int made, int frames, int *after)
{
	const double end = p->clock[made];
	const int is_timed = end >= p->problem.sea.until;

	after[0] = 0;
	for (int i = 1; i < frames; i++)
		after[i] = is_timed ? step_near(p->clock, end * i / frames, after[i - 1], made - (frames - i))
				    : (int)((int64_t)made * i / frames);
	after[frames] = made;
}

/* The most steps from one frame to the next. */
static int longest_way(const int *after, int frames)
{
	int most = 0;

	for (int i = 1; i <= frames; i++)
		most = after[i] - after[i - 1] > most ? after[i] - after[i - 1] : most;
	return most;
}

/* ---- the film ---------------------------------------------------------------------------------- */

static void make_film(const struct scene_problem *whole, const struct bench_machine *machine, const int *after,
		      int frames)
{
	struct scene_problem p = *whole;
	const size_t bytes = 4 * shawa_cells(&p.problem.sea) * sizeof *p.state;
	double *const seconds = bench_new(((size_t)frames + 1) * sizeof *seconds);
	struct bench_clock *clock;

	p.problem.steps = longest_way(after, frames);
	p.state = memcpy(bench_new(bytes), p.state, bytes);
	p.problem.state = p.state;
	clock = bench_begin(&shawa_hetero, &p.problem, machine);
	write_frame(&p, 0);
	for (int i = 1; i <= frames; i++) {
		go_on(&p, clock, after[i] - after[i - 1]);
		seconds[i] = p.problem.start;
		write_frame(&p, i);
	}
	write_page(&p, seconds, frames);
	bench_end(clock);
	free(p.state);
	free(seconds);
}

int scene_film(const void *problem, const struct bench_machine *machine, struct report *report)
{
	const struct scene_problem *const p = problem;
	const int made = p->clock ? steps_made(p) : 0, frames = made < p->scene.frames ? made : p->scene.frames;
	int *after;

	(void)report;
	if (!p->clock)
		return 1;
	if (!made)
		scene_complain("--frames", p->scene.prefix, "no step was made by a version that is checked");
	after = bench_new(((size_t)frames + 1) * sizeof *after);
	choose_steps(p, made, frames, after);
	make_film(p, machine, after, frames);
	free(after);
	return 1;
}
