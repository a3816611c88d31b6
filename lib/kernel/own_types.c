/* own_types.c - what the types of a kernel's own text are, by their sizes in the compiler's eyes. */
#include "kernel/own_types.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/type.h"
#include "kernel/source.h"
#include "kernel/wording.h"

/* Asked of a type: bits 0..7, 8..15 and 16..19 of its size, which number or vector it is, of which it is an
 * array, its alignment. */
enum { KIND = 3, KIND_IN_ROWS, ALIGNMENT, ANSWERS };

/* The words of the questions. (__builtin_types_compatible_p and __kernel stay the text's: with a macro for
 * these the questions fail, or their answers are not believed.) */
#define WORDS_OF(t, of) of(t) of(t "2") of(t "3") of(t "4") of(t "8") of(t "16")
#define WORDS(of)											\
	WORDS_OF("char", of) WORDS_OF("uchar", of) WORDS_OF("short", of) WORDS_OF("ushort", of)		\
	WORDS_OF("int", of) WORDS_OF("uint", of) WORDS_OF("long", of) WORDS_OF("ulong", of)		\
	WORDS_OF("float", of) WORDS_OF("double", of) WORDS_OF("half", of)				\
	of("signed") of("enum") of("void") of("sizeof") of("__alignof__") of("__attribute__")		\
	of("reqd_work_group_size")
#define KEEP(word) "#pragma push_macro(\"" word "\")\n"
#define BRING_BACK(word) "#pragma pop_macro(\"" word "\")\n"

/* In front of the text: what the words mean to the compiler, which may have macros of its own for them. */
static const char kept[] = WORDS(KEEP);

/* Behind it. Its last line may end in a backslash, and take the first one here. */
static const char brought_back[] = "\n\n" WORDS(BRING_BACK);

/* Where a device has them, whatever the text says of the extension. */
static const char doubles[] =
	"#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
	"#define HET__AMONG_DOUBLES(T, d, at) HET__AMONG(T, double, d, at)\n";
static const char no_doubles[] = "#define HET__AMONG_DOUBLES(T, d, at)\n";
static const char halves[] =
	"#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
	"#define HET__AMONG_HALVES(T, d, at) HET__AMONG(T, half, d, at)\n";
static const char no_halves[] = /* but half alone: in memory all devices can read it */
	"#define HET__AMONG_HALVES(T, d, at) HET__IF(T, half d, at + 1)\n";

/* A required size tells 8 bits, in at most 256 items: not all drivers take more. */
static const char macros[] =
	"#define HET__TELL(name, n) enum { name##_is = (n) }; \\\n"
	"	__kernel __attribute__((reqd_work_group_size( \\\n"
	"	name##_is % 16 + 1, name##_is / 16 % 16 + 1, 1))) void name(void) {}\n"
	"#define HET__IF(T, t, at) __builtin_types_compatible_p(T, t) ? (at) :\n"
	"#define HET__AMONG(T, t, d, at) HET__IF(T, t d, at + 1) HET__IF(T, t##2 d, at + 2) \\\n"
	"	HET__IF(T, t##3 d, at + 3) HET__IF(T, t##4 d, at + 4) HET__IF(T, t##8 d, at + 8) \\\n"
	"	HET__IF(T, t##16 d, at + 16)\n"
	"#define HET__KIND(T, d) (HET__AMONG(T, char, d, 0) HET__IF(T, signed char d, 1) \\\n"
	"	HET__AMONG(T, uchar, d, 20) HET__AMONG(T, short, d, 40) HET__AMONG(T, ushort, d, 60) \\\n"
	"	HET__AMONG(T, int, d, 80) HET__AMONG(T, uint, d, 100) HET__AMONG(T, long, d, 120) \\\n"
	"	HET__AMONG(T, ulong, d, 140) HET__AMONG(T, float, d, 160) HET__AMONG_DOUBLES(T, d, 180) \\\n"
	"	HET__AMONG_HALVES(T, d, 200) 0)\n"
	"#define HET__ROWS(T) (HET__KIND(T, []) + HET__KIND(T, [][2]) + HET__KIND(T, [][3]) + \\\n"
	"	HET__KIND(T, [][4]))\n"
	"#define HET__SIZE(T) (sizeof(T) < 1 << 20 ? sizeof(T) : 0)\n"
	"#define HET__ALIGN(T) (__alignof__(T) < 128 ? __alignof__(T) : 128)\n"
	"#define HET__ASK(name, T) HET__TELL(name##_0, HET__SIZE(T)) \\\n"
	"	HET__TELL(name##_1, HET__SIZE(T) >> 8) HET__TELL(name##_2, HET__SIZE(T) >> 16) \\\n"
	"	HET__TELL(name##_3, HET__KIND(T, )) HET__TELL(name##_4, HET__ROWS(T)) \\\n"
	"	HET__TELL(name##_5, HET__ALIGN(T))\n";

/* HET__KIND is the index here times this, plus lanes; 0: a struct, or a number that is not asked for. */
#define KIND_STEP 20
static const het_type numbers[] = {HET_CHAR, HET_UCHAR, HET_SHORT, HET_USHORT, HET_INT, HET_UINT,
				   HET_LONG, HET_ULONG, HET_FLOAT, HET_DOUBLE, HET_HALF};

/* "#undef ", "\nHET__ASK(het__type12, " and ")\n" */
#define QUESTION_BYTES (2 * HET__OWN_TYPE_BYTES + 48)

/* Of a window that is printed as "real[4]*" an element is all of a row. */
static bool may_learn(const struct het__param *param)
{
	return param->kind == HET__PARAM_VALUE || param->kind == HET__PARAM_BUFFER ||
	       (param->kind == HET__PARAM_WINDOW && !strchr(param->type_name, '['));
}

static bool is_wanted(const struct het__param *param, char name[HET__OWN_TYPE_BYTES])
{
	return !param->type && may_learn(param) && het__type_own_name(param->type_name, name);
}

/* All parameters of this type. */
static void learn(struct het__signature *signature, const char *type, het_type is, size_t align_bytes)
{
	char name[HET__OWN_TYPE_BYTES];

	for (int i = 0; i < signature->count; i++)
		if (is_wanted(&signature->param[i], name) && strcmp(name, type) == 0)
			het__param_learn(&signature->param[i], is, align_bytes);
}

void het__own_types_take(struct het__signature *signature, const struct het__signature *other)
{
	char name[HET__OWN_TYPE_BYTES];

	for (int i = 0; i < other->count; i++) {
		const struct het__param *const known = &other->param[i];

		if (known->type && het__type_own_name(known->type_name, name))
			learn(signature, name, known->type, known->align_bytes);
	}
}

/* ---- what is to be asked ---- */

/* "body" of "struct body"; "real". */
static const char *tag_of(const char *type)
{
	const char *const blank = strchr(type, ' ');

	return blank ? blank + 1 : type;
}

/* A struct that is only declared has no size, and to ask for it is an error; the text tells, where it is all
 * there. */
static bool is_defined(const het_kernel *kernel, const char *type)
{
	const char *const tag = tag_of(type);

	return tag == type || kernel->facts.includes || het__source_defines(kernel->source, tag);
}

static bool may_be_asked(const het_kernel *kernel, const struct het__param *param,
			 char name[HET__OWN_TYPE_BYTES])
{
	return is_wanted(param, name) && is_defined(kernel, name);
}

bool het__own_types_wanted(const struct het__signature *signature, const het_kernel *kernel)
{
	char name[HET__OWN_TYPE_BYTES];

	for (int i = 0; i < signature->count; i++)
		if (may_be_asked(kernel, &signature->param[i], name))
			return true;
	return false;
}

static bool has(const struct het__signature *types, const char *type)
{
	char name[HET__OWN_TYPE_BYTES];

	for (int i = 0; i < types->count; i++)
		if (het__type_own_name(types->param[i].type_name, name) && strcmp(name, type) == 0)
			return true;
	return false;
}

/* Adds the types of one kernel. Without memory some are missing. */
static void add_types(struct het__signature **types_p, const het_kernel *kernel,
		      const struct het__signature *signature)
{
	char name[HET__OWN_TYPE_BYTES];

	for (int i = 0; i < signature->count; i++) {
		const struct het__param *const param = &signature->param[i];
		struct het__signature *types = *types_p;

		if (!may_be_asked(kernel, param, name) || has(types, name))
			continue;
		types = het__realloc(types, sizeof *types + (size_t)(types->count + 1) * sizeof *param);
		if (!types)
			return;
		types->param[types->count++] = *param;
		*types_p = types;
	}
}

/* Those of all kernels of the program, which may be built next. */
static void add_types_of_all(struct het__signature **types_p, const het_kernel *kernel,
			     const het_device *device, cl_program program)
{
	char *names = NULL, *rest = NULL;

	if (het__cl_program_kernels(program, device->name, &names))
		return;
	for (char *name = strtok_r(names, ";", &rest); name; name = strtok_r(NULL, ";", &rest)) {
		struct het__signature *signature = NULL;
		cl_kernel other = NULL;

		if (het__cl_kernel_create(program, name, device->name, &other) == HET_OK &&
		    het__signature_read(other, NULL, device->name, &signature) == HET_OK)
			add_types(types_p, kernel, signature);
		het__cl_kernel_release(other);
		het__free(signature);
	}
	het__free(names);
}

/* ---- asking ---- */

/* #undef, for the text's macros must not change the names of its types in the questions. */
static int ask(char *to, int number, const char *type)
{
	return sprintf(to, "#undef %s\nHET__ASK(het__type%d, %s)\n", tag_of(type), number, type);
}

#define FIXED_BYTES                                                                                            \
	(sizeof kept + sizeof brought_back + sizeof doubles + sizeof no_doubles + sizeof halves +              \
	 sizeof no_halves + sizeof macros)

/* NULL without memory. */
static char *text_with_questions(const struct het__signature *types, const char *text, const het_device *device)
{
	char name[HET__OWN_TYPE_BYTES];
	char *const whole =
		het__alloc(strlen(text) + FIXED_BYTES + (size_t)types->count * QUESTION_BYTES);
	char *end = whole;

	if (!whole)
		return NULL;
	end = stpcpy(stpcpy(stpcpy(end, kept), text), brought_back);
	end = stpcpy(end, device->facts.has_double ? doubles : no_doubles);
	end = stpcpy(end, device->facts.has_half ? halves : no_halves);
	end = stpcpy(end, macros);
	for (int i = 0; i < types->count; i++)
		if (is_wanted(&types->param[i], name))
			end += ask(end, i, name);
	return whole;
}

/* 0 to 255; -1: not told. */
static int answer(cl_program program, const het_device *device, int type, int which)
{
	struct het__cl_kernel_limits limits;
	cl_kernel kernel = NULL;
	char name[40];
	bool told;

	snprintf(name, sizeof name, "het__type%d_%d", type, which);
	told = het__cl_kernel_create(program, name, device->name, &kernel) == HET_OK &&
	       het__cl_kernel_limits(kernel, device->id, device->name, &limits) == HET_OK;
	het__cl_kernel_release(kernel);
	if (!told || limits.required_local[0] - 1 > 15 || limits.required_local[1] - 1 > 15)
		return -1;
	return (int)((limits.required_local[0] - 1) + (limits.required_local[1] - 1) * 16);
}

/* Which number or vector a kind is; 0: none. */
static het_type vector_of(int kind)
{
	const size_t number = (size_t)kind / KIND_STEP;

	return kind && number < sizeof numbers / sizeof numbers[0]
		       ? het__type_vector(numbers[number], (unsigned)kind % KIND_STEP)
		       : 0;
}

/* What the answers say; 0: nothing, as where a text has macros of the names that the questions use. */
static het_type type_of(const int told[ANSWERS])
{
	const size_t bytes = (size_t)told[0] | (size_t)told[1] << 8 | (size_t)told[2] << 16;
	const het_type vector = vector_of(told[KIND]), in_rows = vector_of(told[KIND_IN_ROWS]);

	if (!bytes || !told[ALIGNMENT] || (vector && HET_TYPE_BYTES(vector) != bytes))
		return 0;
	if (in_rows && HET_TYPE_BYTES(in_rows) == (size_t)told[ALIGNMENT])
		return het__type_rows(in_rows, bytes);
	return vector ? vector : HET_STRUCT(bytes);
}

static void listen(struct het__signature *types, const het_kernel *kernel, const het_device *device,
		   cl_program program)
{
	char name[HET__OWN_TYPE_BYTES], text[HET__TYPE_TEXT];

	for (int i = 0; i < types->count; i++) {
		int told[ANSWERS];
		bool all = is_wanted(&types->param[i], name);

		for (int which = 0; which < ANSWERS && all; which++) {
			told[which] = answer(program, device, i, which);
			all = told[which] >= 0;
		}
		if (!all || !type_of(told))
			continue;
		het__log(device->system->logger, HET_LOG_DEBUG, "kernel", "%s on %s: %s is %s", kernel->title,
			 device->name, name, het__type_name(type_of(told), text));
		learn(types, name, type_of(told), (size_t)told[ALIGNMENT]);
	}
}

/* The text as the user wrote it has been compiled: if it fails now, nobody reads why. */
static het_status compile(const char *text, const het_device *device, const char *options,
			  cl_program *program_p)
{
	const het_status status =
		het__cl_program_source(device->context->cl, text, strlen(text), device->name, program_p);

	return status ? status
		      : het__cl_program_build(*program_p, 1, &device->id, options, device->name, "own types");
}

static het_status ask_compiler(struct het__signature *types, const het_kernel *kernel,
			       const het_device *device, const char *options)
{
	char *const source = het__source_named(kernel);
	char *const text = source ? text_with_questions(types, source, device) : NULL;
	cl_program program = NULL;
	const het_status status =
		text ? compile(text, device, options, &program) : het__fail(HET_ERR_MEMORY, "no memory");

	if (!status)
		listen(types, kernel, device, program);
	het__cl_program_release(program);
	het__free(text);
	het__free(source);
	return status;
}

/* One by one, so that a type that cannot be asked for, such as a typedef of a struct that is nowhere defined,
 * takes no others with it. */
static void ask_apart(struct het__signature *types, const het_kernel *kernel, const het_device *device,
		      const char *options)
{
	struct het__signature *const one = types->count > 1 ? het__signature_new(1) : NULL;

	for (int i = 0; i < types->count && one; i++) {
		one->param[0] = types->param[i];
		if (ask_compiler(one, kernel, device, options) == HET_OK)
			types->param[i] = one->param[0];
	}
	het__free(one);
}

struct het__signature *het__own_types_ask(const struct het__signature *signature, const het_kernel *kernel,
					  const het_device *device, cl_program program, const char *options)
{
	struct het__signature *types = het__signature_new(0);

	if (!types)
		return NULL;
	add_types(&types, kernel, signature);
	add_types_of_all(&types, kernel, device, program);
	if (ask_compiler(types, kernel, device, options)) {
		het__log(device->system->logger, HET_LOG_DEBUG, "kernel",
			 "%s: its own types are not known, or only some: %s", kernel->title, het__message());
		ask_apart(types, kernel, device, options);
	}
	return types;
}
