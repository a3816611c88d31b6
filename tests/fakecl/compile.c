/* compile.c - OpenCL C through clang to a shared object for the host.
 *
 * clang is run twice: for what it knows of the kernels (and its complaints), then for the code, with a wrapper
 * for every kernel behind the text. The linker is run without clang, which takes longer to start than it does.
 * Products of a*b+c stay products: results equal those of the C that tests compare with. Nothing is compiled
 * twice: see files.c.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake.h"

#define WORDS_MOST 128

extern char **environ;

static struct build *builds;

/* ---- running clang ------------------------------------------------------------------------------ */

struct words {
	char *at[WORDS_MOST];
	int count;
	char *text; /* what some of them lie in */
};

static void word(struct words *w, const char *text)
{
	if (w->count < WORDS_MOST - 1)
		w->at[w->count++] = (char *)(uintptr_t)text;
}

/* Cuts options as a shell would: quotes and backslashes. */
static void cut_options(struct words *w, const char *options)
{
	char *to = w->text = fake_strdup(options);
	const char *from = options;

	for (;;) {
		char quote = '\0';

		from += strspn(from, " \t\n");
		if (!*from)
			return;
		word(w, to);
		for (; *from && (quote || !strchr(" \t\n", *from)); from++) {
			if (*from == quote)
				quote = '\0';
			else if (!quote && (*from == '"' || *from == '\''))
				quote = *from;
			else {
				from += *from == '\\' && from[1] && quote != '\'';
				*to++ = *from;
			}
		}
		if (*from)
			from++;
		*to++ = '\0';
	}
}

bool fake_options_known(const char *options)
{
	struct words w = {.count = 0};
	bool known = true;

	cut_options(&w, options);
	for (int i = 0; i < w.count && known; i++) {
		const char *const o = w.at[i];

		known = strncmp(o, "-D", 2) == 0 || strncmp(o, "-I", 2) == 0 || strncmp(o, "-cl-", 4) == 0 ||
			strcmp(o, "-w") == 0 || strcmp(o, "-Werror") == 0;
		if (strcmp(o, "-D") == 0 || strcmp(o, "-I") == 0)
			i++;
	}
	free(w.text);
	return known;
}

/* Runs a program with its input and its complaints in files. */
static bool run(struct words *w, const char *input, const char *log)
{
	posix_spawn_file_actions_t files;
	pid_t child;
	int status = 1;

	w->at[w->count] = NULL;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, input, O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 2, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (posix_spawnp(&child, w->at[0], &files, NULL, w->at, environ) == 0)
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
	posix_spawn_file_actions_destroy(&files);
	return status == 0;
}

bool fake_have_compiler(void)
{
	static int have = -1;
	const char *path = getenv("PATH");

	while (have < 0 && path) {
		const int length = (int)strcspn(path, ":");
		char name[4096];

		snprintf(name, sizeof name, "%.*s/clang", length, path);
		if (access(name, X_OK) == 0)
			have = 1;
		path = path[length] ? path + length + 1 : NULL;
	}
	return have > 0;
}

static struct words clang_words(const char *options, bool fp64)
{
	struct words w = {.count = 0};

	word(&w, "clang");
	word(&w, "-x");
	word(&w, "cl");
	word(&w, "-cl-std=CL1.2");
	if (!fp64) {
		word(&w, "-Xclang");
		word(&w, "-cl-ext=-cl_khr_fp64");
	}
	cut_options(&w, options);
	return w;
}

/* ---- one build ---------------------------------------------------------------------------------- */

/* The files that a build makes on its way. */
struct files {
	char *text, *ir, *log, *object, *library;
};

static struct files files_of(const char *key)
{
	struct files f;
	char ending[64];

	snprintf(ending, sizeof ending, ".%ld.cl", (long)getpid());
	f.text = fake_cache_path(key, ending);
	snprintf(ending, sizeof ending, ".%ld.ll", (long)getpid());
	f.ir = fake_cache_path(key, ending);
	snprintf(ending, sizeof ending, ".%ld.log", (long)getpid());
	f.log = fake_cache_path(key, ending);
	snprintf(ending, sizeof ending, ".%ld.o", (long)getpid());
	f.object = fake_cache_path(key, ending);
	snprintf(ending, sizeof ending, ".%ld.so", (long)getpid());
	f.library = fake_cache_path(key, ending);
	return f;
}

static void files_remove(struct files *f)
{
	char *const all[] = {f->text, f->ir, f->log, f->object, f->library};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		(void)unlink(all[i]);
		free(all[i]);
	}
}

/* What clang knows of the text's kernels; NULL if it refuses the text. */
static char *look_at(const struct files *f, const char *options, bool fp64)
{
	struct words w = clang_words(options, fp64);
	char *ir, *description = NULL;

	word(&w, "-cl-kernel-arg-info");
	word(&w, "-O0");
	word(&w, "-S");
	word(&w, "-emit-llvm");
	word(&w, "-o");
	word(&w, f->ir);
	word(&w, "-");
	if (run(&w, f->text, f->log)) {
		ir = fake_read_file(f->ir, NULL);
		if (ir)
			description = fake_kernels_of(ir);
		free(ir);
	}
	free(w.text);
	return description;
}

static bool make_code(const struct files *f, const char *source, const char *wrappers, const char *options,
		      bool fp64)
{
	struct words w = clang_words(options, fp64);
	const size_t length = strlen(source) + strlen(wrappers);
	char *const text = fake_alloc(length + 1);
	bool good;

	strcat(strcpy(text, source), wrappers);
	word(&w, "-O1");
	word(&w, "-ffp-contract=off");
	word(&w, "-fPIC");
	word(&w, "-w");
	word(&w, "-c");
	word(&w, "-o");
	word(&w, f->object);
	word(&w, "-");
	good = fake_write_file(f->text, text, length) && run(&w, f->text, f->log);
	free(w.text);
	free(text);
	return good;
}

/* With this library, where the functions of OpenCL C are, and that of C. */
static bool link_code(const struct files *f)
{
	struct words w = {.count = 0};
	Dl_info self, c;

	word(&w, "ld");
	word(&w, "-shared");
	word(&w, "-Bsymbolic"); /* a kernel may be called as a function of the C library is */
	word(&w, "--no-undefined");
	word(&w, "-o");
	word(&w, f->library);
	word(&w, f->object);
	if (dladdr(&fake, &self))
		word(&w, self.dli_fname);
	if (dladdr(dlsym(RTLD_DEFAULT, "memcpy"), &c))
		word(&w, c.dli_fname);
	return run(&w, "/dev/null", f->log);
}

static bool make_library(const struct files *f, const char *source, const char *options, bool fp64)
{
	char *const description = look_at(f, options, fp64);
	char *wrappers;
	bool good;

	if (!description)
		return false;
	wrappers = fake_wrappers_of(description);
	good = make_code(f, source, wrappers, options, fp64) && link_code(f);
	free(wrappers);
	free(description);
	return good;
}

/* Builds that differ in a macro of the library's which no kernel looks at have their code in one file: it keeps
 * devices' programs apart, and that is what keys are for. */
static void file_key(char key[40], const char *source, const char *options, bool fp64)
{
	char *const words = fake_strdup(options), *const seat = strstr(words, "-DHETERO__SEAT=");

	if (seat) {
		char *const rest = seat + strcspn(seat, " ");

		memmove(seat, rest, strlen(rest) + 1);
	}
	fake_key(key, source, words, fp64);
	free(words);
}

static void compile(struct build *build, const char *source, const char *options, bool fp64)
{
	char key[40];
	char *path;
	struct files f;

	file_key(key, source, options, fp64);
	build->path = path = fake_cache_path(key, ".so");
	if (access(path, R_OK) == 0 && fake_build_load(build))
		return;
	f = files_of(build->key);
	if (!fake_write_file(f.text, source, strlen(source)) || !make_library(&f, source, options, fp64) ||
	    rename(f.library, path) != 0) {
		free(path);
		build->path = NULL;
	}
	free(build->log);
	build->log = fake_read_file(f.log, NULL);
	files_remove(&f);
	if (build->path && !fake_build_load(build))
		build->path = NULL;
	if (!build->log)
		build->log = fake_strdup("");
}

/* ---- all builds --------------------------------------------------------------------------------- */

static struct build *build_new(const char *key)
{
	struct build *const build = fake_alloc(sizeof *build);

	strcpy(build->key, key);
	pthread_mutex_init(&build->turn, NULL);
	build->next = builds;
	builds = build;
	return build;
}

static struct build *build_find(const char *key)
{
	struct build *build = builds;

	while (build && strcmp(build->key, key) != 0)
		build = build->next;
	return build;
}

bool fake_build_load(struct build *build)
{
	void *const library = dlopen(build->path, RTLD_NOW | RTLD_LOCAL);
	const char *const description = library ? dlsym(library, "fakecl_description") : NULL;

	if (description) {
		fake_describe_kernels(description, build, library);
		return true;
	}
	free(build->log);
	build->log = fake_strdup(library ? "not a kernel of fakecl\n" : dlerror());
	return false;
}

struct build *fake_compile(const char *source, const char *options, bool fp64)
{
	char key[40];
	struct build *build;

	fake_key(key, source, options, fp64);
	build = build_find(key);
	if (!build) {
		build = build_new(key);
		compile(build, source, options, fp64);
	}
	return build;
}

/* ---- binaries ----------------------------------------------------------------------------------- */

/* A shared object behind a line that says which build of this driver made it and how long it is. */
#define HEAD_BYTES 96

static void write_head(char *to, const char *key, size_t bytes)
{
	char head[128];

	snprintf(head, sizeof head, "fakecl binary of %016llx: %16zu bytes, key %32.32s\n",
		 (unsigned long long)fake_driver_hash(), bytes, key);
	memcpy(to, head, HEAD_BYTES);
}

unsigned char *fake_binary_of(const struct build *build, size_t *bytes_p)
{
	size_t bytes = 0;
	char *const object = fake_read_file(build->path, &bytes);
	char *const binary = fake_alloc(HEAD_BYTES + bytes + 1);

	write_head(binary, build->key, bytes);
	if (object)
		memcpy(binary + HEAD_BYTES, object, bytes);
	free(object);
	*bytes_p = HEAD_BYTES + bytes;
	return (unsigned char *)binary;
}

/* The key in a binary's head; false where this driver would not have written that head. */
static bool read_head(const unsigned char *binary, size_t bytes, char key[40])
{
	char head[HEAD_BYTES];

	if (bytes <= HEAD_BYTES)
		return false;
	snprintf(key, 40, "%.32s", (const char *)binary + HEAD_BYTES - 33);
	write_head(head, key, bytes - HEAD_BYTES);
	return memcmp(head, binary, HEAD_BYTES) == 0;
}

struct build *fake_build_of_binary(const unsigned char *binary, size_t bytes)
{
	char key[40];
	struct build *build;

	if (!read_head(binary, bytes, key))
		return NULL;
	build = build_find(key);
	if (build)
		return build->path ? build : NULL;
	build = build_new(key);
	build->path = fake_cache_path(key, ".so");
	if (!fake_write_file(build->path, (const char *)binary + HEAD_BYTES, bytes - HEAD_BYTES) ||
	    !fake_build_load(build))
		build->path = NULL;
	if (!build->log)
		build->log = fake_strdup("");
	return build->path ? build : NULL;
}
