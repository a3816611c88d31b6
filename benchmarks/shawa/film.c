/* film.c - a sea in motion: pictures of its depth and contaminant after equal numbers of steps, and a page that
 * plays them. */

#include "shawa/scene.h"

#include <errno.h>
#include <limits.h>
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
	"  const minutes = Math.round(seconds[i] / 60);\n"
	"  document.getElementById('time').value = Math.floor(minutes / 60) + ' h ' + minutes % 60 + ' min';\n"
	"}\n"
	"for (let i = 0; i < seconds.length; i++) for (const what of ['depth', 'contaminant']) {\n"
	"  kept.push(new Image()); kept[kept.length - 1].src = name(what, i);\n"
	"}\n"
	"at.max = seconds.length - 1;\n"
	"at.oninput = () => show(at.value);\n"
	"play.onclick = () => { runs = !runs; play.textContent = runs ? 'stop' : 'play'; };\n"
	"setInterval(() => { if (runs) { at.value = (+at.value + 1) % seconds.length; show(at.value); } }, "
	"100);\n"
	"show(0);\n</script>\n</html>\n";

/* A text between quotes of JavaScript in a page. */
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

/* Beside the pictures, which it names without their folder. */
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
		fputs(", seconds = [", to);
		for (int i = 0; i < frames; i++)
			fprintf(to, "%s%.0f", i ? ", " : "", seconds[i]);
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

/* From where the frame before ended: so many steps. */
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

/* The step after which a frame shows the sea. */
static int step_of(const struct scene_problem *whole, int frame, int frames)
{
	return (int)((int64_t)whole->problem.steps * frame / frames);
}

void scene_film(const void *problem, const struct bench_machine *machine, struct report *report)
{
	const struct scene_problem *const whole = problem;
	const int steps = whole->problem.steps, asked = whole->scene.frames,
		  frames = asked < steps ? asked : steps;
	struct scene_problem p = *whole;
	const size_t bytes = 4 * shawa_cells(&p.problem.sea) * sizeof *p.state;
	double *seconds;
	struct bench_clock *clock;
	int frame = 0;

	(void)report;
	if (!frames)
		return;
	seconds = bench_new(((size_t)frames + 1) * sizeof *seconds);
	p.problem.steps = (steps + frames - 1) / frames; /* room for the longest way to a frame */
	p.state = memcpy(bench_new(bytes), p.state, bytes);
	p.problem.state = p.state;
	clock = bench_begin(&shawa_hetero, &p.problem, machine);
	write_frame(&p, frame);
	for (frame = 1; frame <= frames && p.problem.start < p.problem.sea.until; frame++) {
		go_on(&p, clock, step_of(whole, frame, frames) - step_of(whole, frame - 1, frames));
		seconds[frame] = p.problem.start;
		write_frame(&p, frame);
	}
	write_page(&p, seconds, frame);
	bench_end(clock);
	free(p.state);
	free(seconds);
}
