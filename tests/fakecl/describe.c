/* describe.c - what the compiler knows of kernels, and the wrappers through which they are called.
 *
 * A description is text, one kernel after another, and lives inside the shared object:
 *
 *     barriers 0
 *     kernel saxpy 0 0 0
 *     param 1 1 x float*
 *
 * that is: the required work-group size; address space, qualifiers, name and type of each parameter.
 */
#include <ctype.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

/* ---- growing text ------------------------------------------------------------------------------- */

struct text {
	char *at;
	size_t length, room;
};

static void add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *t, const char *format, ...)
{
	va_list args, again;
	size_t more;

	va_start(args, format);
	va_copy(again, args);
	more = (size_t)vsnprintf(NULL, 0, format, args) + 1;
	if (t->length + more > t->room) {
		t->room = 2 * (t->length + more);
		t->at = realloc(t->at, t->room);
		if (!t->at)
			abort();
	}
	vsnprintf(t->at + t->length, more, format, again);
	t->length += more - 1;
	va_end(again);
	va_end(args);
}

/* ---- metadata of LLVM --------------------------------------------------------------------------- */

/* The node that a definition names: "!kernel_arg_type !9" gives what stands after "!9 = !{". */
static const char *node(const char *ir, const char *define, const char *what)
{
	const char *const end = strchr(define, '\n'), *at = strstr(define, what);
	char head[32];

	if (!at || at > end || sscanf(at + strlen(what), " !%20[0-9]", head + 2) != 1)
		return NULL;
	head[0] = '\n';
	head[1] = '!';
	strcat(head, " = !{");
	at = strstr(ir, head);
	return at ? at + strlen(head) : NULL;
}

/* The next element of a node, a number or a text, as text; false at its end. */
static bool element(const char **at, char *value, size_t room)
{
	size_t n = 0;

	if (!*at)
		return false;
	*at += strspn(*at, ", ");
	if (strncmp(*at, "i32 ", 4) == 0)
		*at += 4;
	else if (strncmp(*at, "!\"", 2) == 0)
		*at += 2;
	else
		return false;
	while (**at && !strchr("\"\n", **at) && (isalnum((unsigned char)**at) || strchr(" _*[]()", **at))) {
		if (n + 1 < room)
			value[n++] = **at;
		++*at;
	}
	value[n] = '\0';
	*at += **at == '"';
	return true;
}

static cl_kernel_arg_type_qualifier qualifiers(const char *words)
{
	cl_kernel_arg_type_qualifier q = CL_KERNEL_ARG_TYPE_NONE;

	if (strstr(words, "const"))
		q |= CL_KERNEL_ARG_TYPE_CONST;
	if (strstr(words, "restrict"))
		q |= CL_KERNEL_ARG_TYPE_RESTRICT;
	if (strstr(words, "volatile"))
		q |= CL_KERNEL_ARG_TYPE_VOLATILE;
	return q;
}

static void describe(struct text *t, const char *ir, const char *define)
{
	const char *space = node(ir, define, "!kernel_arg_addr_space"),
		   *type = node(ir, define, "!kernel_arg_type ");
	const char *qualifier = node(ir, define, "!kernel_arg_type_qual"),
		   *name = node(ir, define, "!kernel_arg_name");
	const char *required = node(ir, define, "!reqd_work_group_size");
	char a[16], b[256], c[64], d[256], size[3][16] = {"0", "0", "0"};

	for (int i = 0; i < 3 && element(&required, size[i], sizeof size[i]);)
		i++;
	sscanf(strchr(define, '@'), "@%255[A-Za-z0-9_]", b);
	add(t, "kernel %s %s %s %s\n", b, size[0], size[1], size[2]);
	while (element(&space, a, sizeof a) && element(&type, b, sizeof b) &&
	       element(&qualifier, c, sizeof c) && element(&name, d, sizeof d))
		add(t, "param %s %d %s %s\n", a, (int)qualifiers(c), d, b);
}

char *fake_kernels_of(const char *ir)
{
	struct text t = {NULL, 0, 0};

	add(&t, "barriers %d\n", strstr(ir, "@_Z7barrierj(") != NULL);
	for (const char *at = strstr(ir, "\ndefine "); at; at = strstr(at + 1, "\ndefine ")) {
		const char *const mark = strstr(at + 1, "!kernel_arg_addr_space");

		if (mark && mark < strchr(at + 1, '\n'))
			describe(&t, ir, at + 1);
	}
	return t.at;
}

/* ---- descriptions, line by line ----------------------------------------------------------------- */

struct line {
	char kernel[256]; /* the last one */
	size_t required[3];
	unsigned space, qualifiers;
	int param; /* -1: the line is a kernel's */
	char name[256], type[256];
};

/* Reads the next line about a kernel or a parameter; false at the end. */
static bool next_line(const char **at, struct line *line)
{
	while (**at) {
		const char *const here = *at;

		*at += strcspn(*at, "\n");
		*at += **at == '\n';
		line->name[0] = '\0';
		if (sscanf(here, "kernel %255s %zu %zu %zu", line->kernel, &line->required[0],
			   &line->required[1], &line->required[2]) == 4) {
			line->param = -1;
			return true;
		}
		if (sscanf(here, "param %u %u %255s %255[^\n]", &line->space, &line->qualifiers, line->name,
			   line->type) == 4) {
			line->param++;
			return true;
		}
	}
	return false;
}

static const char *space_word(unsigned space)
{
	static const char *const words[] = {"", "__global ", "__constant ", "__local "};

	return words[space < 4 ? space : 0];
}

/* ---- wrappers ----------------------------------------------------------------------------------- */

static void wrap_kernel(struct text *t, const char *kernel, int params)
{
	add(t, "void fakecl_call_%s(__private void *__private *fakecl_a) { %s(", kernel, kernel);
	for (int i = 0; i < params; i++)
		add(t, "%s*(__private fakecl_t%d_%s *)fakecl_a[%d]", i ? ", " : "", i, kernel, i);
	add(t, "); }\n__constant ulong fakecl_sizes_%s[] = {", kernel);
	for (int i = 0; i < params; i++)
		add(t, "fakecl_s%d_%s, ", i, kernel);
	add(t, "0};\n");
}

/* Of "float[4]*", a pointer to rows, the name stands amid. */
static void declare_type(struct text *t, const struct line *line)
{
	const char *const type = line->type, *const star = strchr(type, '*');
	const int element = (int)strcspn(type, "["), extents = (int)strcspn(type + element, "*");

	add(t, "typedef %s%.*s", star ? space_word(line->space) : "", element, type);
	if (type[element])
		add(t, " (*fakecl_t%d_%s)%.*s;\n", line->param, line->kernel, extents, type + element);
	else
		add(t, " fakecl_t%d_%s;\n", line->param, line->kernel);
}

static void declare_param(struct text *t, const struct line *line)
{
	const bool pointer = strchr(line->type, '*') != NULL;

	declare_type(t, line);
	if (strncmp(line->type, "void", 4) == 0)
		add(t, "enum { fakecl_s%d_%s = 1 };\n", line->param, line->kernel);
	else
		add(t, "enum { fakecl_s%d_%s = %s(%sfakecl_t%d_%s%s) };\n", line->param, line->kernel,
		    pointer ? "__alignof__" : "sizeof", pointer ? "*(" : "", line->param, line->kernel,
		    pointer ? ")0" : "");
}

char *fake_wrappers_of(const char *description)
{
	struct text t = {NULL, 0, 0};
	struct line line = {.param = -1};
	char kernel[256] = "";
	const char *at = description;
	int params = 0;

	add(&t, "\n#line 1 \"wrappers of fakecl\"\n");
	while (next_line(&at, &line)) {
		if (line.param < 0) {
			if (kernel[0])
				wrap_kernel(&t, kernel, params);
			strcpy(kernel, line.kernel);
			params = 0;
			continue;
		}
		declare_param(&t, &line);
		params = line.param + 1;
	}
	if (kernel[0])
		wrap_kernel(&t, kernel, params);
	add(&t, "__constant char fakecl_description[] = ");
	for (at = description; *at; at += strcspn(at, "\n") + 1)
		add(&t, "\"%.*s\\n\"\n", (int)strcspn(at, "\n"), at);
	add(&t, ";\n");
	return t.at;
}

/* ---- descriptions to structures ----------------------------------------------------------------- */

static void *symbol(void *library, const char *prefix, const char *kernel)
{
	char name[300];

	snprintf(name, sizeof name, "%s%s", prefix, kernel);
	return dlsym(library, name);
}

static struct kernel_info *add_kernel(struct build *build, const struct line *line, void *library)
{
	struct kernel_info *kernel;

	build->kernels = realloc(build->kernels, (size_t)(build->kernel_count + 1) * sizeof *build->kernels);
	if (!build->kernels)
		abort();
	kernel = &build->kernels[build->kernel_count++];
	*kernel = (struct kernel_info){.name = fake_strdup(line->kernel)};
	memcpy(kernel->required, line->required, sizeof kernel->required);
	*(void **)&kernel->call = symbol(library, "fakecl_call_", line->kernel);
	return kernel;
}

static void add_param(struct kernel_info *kernel, const struct line *line, void *library)
{
	static const cl_kernel_arg_address_qualifier spaces[] = {
		CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_CONSTANT,
		CL_KERNEL_ARG_ADDRESS_LOCAL};
	const unsigned long *const sizes = symbol(library, "fakecl_sizes_", kernel->name);
	struct param *param;

	kernel->params = realloc(kernel->params, (size_t)(kernel->param_count + 1) * sizeof *kernel->params);
	if (!kernel->params)
		abort();
	param = &kernel->params[kernel->param_count];
	param->name = fake_strdup(line->name);
	param->type = fake_strdup(line->type);
	param->address = spaces[line->space < 4 ? line->space : 0];
	param->qualifier = line->qualifiers;
	param->bytes = sizes[kernel->param_count++];
}

void fake_describe_kernels(const char *description, struct build *build, void *library)
{
	struct line line = {.param = -1};
	const char *at = description;

	build->barriers = strncmp(description, "barriers 1", 10) == 0;
	while (next_line(&at, &line)) {
		if (line.param < 0)
			(void)add_kernel(build, &line, library);
		else
			add_param(&build->kernels[build->kernel_count - 1], &line, library);
	}
}
