/* signature.c - from the driver's words about a kernel's parameters to het__signature.
 *
 * Drivers print types in their own ways ("uint", "unsigned int"), with or without qualifiers; typedefs and
 * structs come by their names, which tell nothing (own_types.h finds out).
 */
#include "kernel/signature.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/type.h"

/* Words of a type that do not change its size. */
static const char *const qualifiers[] = {
	"const",    "volatile",   "restrict", "__restrict", "global",  "__global",
	"constant", "__constant", "local",    "__local",    "private", "__private",
};

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

static bool is_qualifier(const char *word)
{
	for (size_t i = 0; i < COUNT_OF(qualifiers); i++)
		if (strcmp(word, qualifiers[i]) == 0)
			return true;
	return false;
}

/* The number of lanes that a suffix means; 0 when it means none. */
static unsigned lanes_of(const char *suffix)
{
	static const unsigned legal[] = {2, 3, 4, 8, 16};
	char text[4];

	if (*suffix == '\0')
		return 1;
	for (size_t i = 0; i < COUNT_OF(legal); i++) {
		snprintf(text, sizeof(text), "%u", legal[i]);
		if (strcmp(suffix, text) == 0)
			return legal[i];
	}
	return 0;
}

/* The type of one word, "float4"; 0 when it is none of OpenCL C's. */
static het_type type_of_word(const char *word)
{
	const size_t letters = strcspn(word, "0123456789");
	const unsigned lanes = lanes_of(word + letters);
	const het_type scalar = het__type_of_scalar(word, letters);

	return lanes && scalar ? het__type_vector(scalar, lanes) : 0;
}

/* What the words of a type have told. */
struct reading {
	bool is_unsigned, is_signed, strange;
	het_type type;
	int stars;
	char own[HET__OWN_TYPE_BYTES]; /* "struct body": what is none of OpenCL C's */
};

static bool is_tag(const char *word)
{
	return strcmp(word, "struct") == 0 || strcmp(word, "union") == 0 || strcmp(word, "enum") == 0;
}

static bool is_half_read(const char *own)
{
	return *own == '\0' || own[strlen(own) - 1] == ' ';
}

static void read_own(struct reading *r, const char *word)
{
	const size_t length = strlen(r->own);

	r->strange |= !is_half_read(r->own) || r->type;
	snprintf(r->own + length, sizeof r->own - length, "%s%s", word, is_tag(word) ? " " : "");
}

static void read_word(struct reading *r, const char *word)
{
	const het_type type = type_of_word(word);

	if (is_qualifier(word))
		return;
	if (strcmp(word, "unsigned") == 0)
		r->is_unsigned = true;
	else if (strcmp(word, "signed") == 0)
		r->is_signed = true;
	else if (type == HET_INT && (r->type == HET_SHORT || r->type == HET_LONG))
		return; /* "long int" is a long */
	else if (type == 0)
		read_own(r, word);
	else if (r->type != 0)
		r->strange = true;
	else
		r->type = type;
}

/* The length of "[4]" at `text`; 0: there is none. A pointer to rows is read as one to what they have. */
static size_t length_of_extent(const char *text)
{
	const size_t digits = *text == '[' ? strspn(text + 1, "0123456789") : 0;

	return digits && text[1 + digits] == ']' ? digits + 2 : 0;
}

static void read_type(const char *text, struct reading *r)
{
	r->strange = strlen(text) >= HET__OWN_TYPE_BYTES - 1; /* it may have been cut */
	while (*text && !r->strange) {
		char word[HET__OWN_TYPE_BYTES];
		size_t length = 0;

		for (; isalnum((unsigned char)text[length]) || text[length] == '_'; length++)
			word[length] = text[length];
		word[length] = '\0';
		if (length)
			read_word(r, word);
		else if ((length = length_of_extent(text)) == 0)
			r->strange = !isspace((unsigned char)*text) && *text != '*';
		r->stars += *text == '*';
		text += length ? length : 1;
	}
	r->strange |= r->stars > 1;
}

het_type het__type_named(const char *text)
{
	struct reading r = {.type = 0};

	read_type(text, &r);
	if (r.strange || *r.own)
		return 0;
	if (r.type == 0)
		return r.is_unsigned ? HET_UINT : r.is_signed ? HET_INT : 0;
	if (r.is_unsigned && HET_TYPE_BASE(r.type) == HET_BASE_INT)
		return HET_TYPE(HET_BASE_UINT, HET_TYPE_LANES(r.type), HET_TYPE_BYTES(r.type));
	return r.type;
}

bool het__type_own_name(const char *text, char name[HET__OWN_TYPE_BYTES])
{
	struct reading r = {.type = 0};

	read_type(text, &r);
	strcpy(name, r.own);
	return !r.strange && !r.type && !r.is_unsigned && !r.is_signed && !is_half_read(name) &&
	       strcmp(name, "void") != 0;
}

/* Samplers and the like come by these names, in the private or global address space. A pointer by such a name
 * is to a type of the program's. */
static bool is_opaque(const char *type)
{
	static const char *const names[] = {"sampler_t", "event_t", "queue_t", "clk_event_t", "reserve_id_t"};
	static const char *const images[] = {"image1d_", "image2d_", "image3d_"};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (strcmp(type, names[i]) == 0)
			return true;
	for (size_t i = 0; i < COUNT_OF(images); i++)
		if (strncmp(type, images[i], strlen(images[i])) == 0)
			return !strchr(type, '*');
	return false;
}

/* By the address space, not by the '*', which a driver may print anywhere. */
static enum het__param_kind kind_of(const struct het__cl_param *told)
{
	if (!told->known)
		return HET__PARAM_UNKNOWN;
	if (told->is_object || is_opaque(told->type))
		return HET__PARAM_OTHER;
	switch (told->address) {
	case CL_KERNEL_ARG_ADDRESS_GLOBAL:
	case CL_KERNEL_ARG_ADDRESS_CONSTANT:
		return HET__PARAM_BUFFER;
	case CL_KERNEL_ARG_ADDRESS_LOCAL:
		return HET__PARAM_LOCAL;
	case CL_KERNEL_ARG_ADDRESS_PRIVATE:
		return HET__PARAM_VALUE;
	default:
		return HET__PARAM_OTHER;
	}
}

void het__param_learn(struct het__param *param, het_type type, size_t align_bytes)
{
	param->type = type;
	param->align_bytes = align_bytes;
	if (param->kind == HET__PARAM_BUFFER || param->kind == HET__PARAM_WINDOW)
		param->needs = het__needs(type, align_bytes);
}

static void param_from(const struct het__cl_param *told, struct het__param *param)
{
	param->kind = kind_of(told);
	if (param->kind == HET__PARAM_UNKNOWN) {
		param->align_bytes = HET__ALIGN_UNKNOWN;
		param->needs = het__needs(0, HET__ALIGN_UNKNOWN);
		return;
	}
	const het_type type = param->kind == HET__PARAM_OTHER ? 0 : het__type_named(told->type);
	param->is_const = param->kind == HET__PARAM_BUFFER &&
			  (told->is_const || told->address == CL_KERNEL_ARG_ADDRESS_CONSTANT);
	het__param_learn(param, type, type ? HET_TYPE_BYTES(type) : HET__ALIGN_UNKNOWN);
	snprintf(param->type_name, sizeof(param->type_name), "%s", told->type);
	snprintf(param->name, sizeof(param->name), "%s", told->name);
}

/* "het_window", "const struct het_window". */
static bool names_window(const char *type)
{
	while (strncmp(type, "const ", 6) == 0 || strncmp(type, "struct ", 7) == 0)
		type = strchr(type, ' ') + 1;
	return strcmp(type, "het_window") == 0;
}

/* Is `name` the first `length` of `stem`, and `end`? Long names are cut, so the whole is cut as well. */
static bool is_name(const char *name, int length, const char *stem, const char *end)
{
	char whole[sizeof(((struct het__param *)NULL)->name)];

	snprintf(whole, sizeof(whole), "%.*s%s", length, stem, end);
	return strcmp(name, whole) == 0;
}

/* "float *x_pointer" and "het_window x_window"; HET_WINDOW(float, x): the length of x. Else 0. */
static int length_of_window(const struct het__cl_param *told, const struct het__param *pointer)
{
	int length = (int)strlen(pointer->name);

	if (!told->known || pointer->kind != HET__PARAM_BUFFER || !names_window(told->type))
		return 0;
	while (length > 0 && !(is_name(pointer->name, length, pointer->name, "_pointer") &&
			       is_name(told->name, length, pointer->name, "_window")))
		length--;
	return length;
}

struct het__signature *het__signature_new(int count)
{
	struct het__signature *signature;

	signature = het__alloc_zeroed(1, sizeof(*signature) + (size_t)count * sizeof(signature->param[0]));
	if (signature)
		signature->count = count;
	return signature;
}

void het__signature_add(struct het__signature *signature, int at, const struct het__cl_param *told)
{
	struct het__param *const param = &signature->param[signature->count];
	const int length = signature->count > 0 ? length_of_window(told, param - 1) : 0;

	if (length > 0) {
		param[-1].kind = HET__PARAM_WINDOW;
		param[-1].name[length] = '\0';
		if (strchr(param[-1].type_name, '[')) /* its elements are whole rows, whatever these have */
			het__param_learn(&param[-1], 0, HET__ALIGN_UNKNOWN);
		return;
	}
	param_from(told, param);
	param->at = at;
	signature->count++;
}

const struct het__param *het__signature_local_window(const struct het__signature *signature)
{
	for (int i = 1; i < signature->count; i++) {
		const struct het__param *const param = &signature->param[i];

		if (param[-1].kind == HET__PARAM_LOCAL && names_window(param->type_name))
			return &param[-1];
	}
	return NULL;
}

int het__signature_slots(const struct het__signature *signature)
{
	const struct het__param *last;

	if (signature->count == 0)
		return 0;
	last = &signature->param[signature->count - 1];
	return last->at + 1 + (last->kind == HET__PARAM_WINDOW);
}

static void find_ranks(struct het__signature *signature, const het_kernel *kernel)
{
	for (int i = 0; i < signature->count; i++) {
		struct het__param *const param = &signature->param[i];

		if (param->kind == HET__PARAM_WINDOW)
			param->ranks = het__source_ranks(kernel->source, kernel->name, param->name);
	}
}

het_status het__signature_read(cl_kernel kernel, const het_kernel *of, const char *device,
			       struct het__signature **signature_p)
{
	struct het__signature *signature;
	cl_uint count;
	het_status status = het__cl_kernel_arg_count(kernel, device, &count);

	if (status)
		return status;
	signature = het__signature_new((int)count);
	if (!signature)
		return het__fail(HET_ERR_MEMORY, "no memory for the signature of a kernel on %s", device);
	signature->count = 0;
	for (cl_uint i = 0; i < count && !status; i++) {
		struct het__cl_param told;

		status = het__cl_kernel_param(kernel, i, device, &told);
		if (!status)
			het__signature_add(signature, (int)i, &told);
	}
	if (status) {
		het__free(signature);
		return status;
	}
	if (of && of->source)
		find_ranks(signature, of);
	*signature_p = signature;
	return HET_OK;
}

bool het__signature_uses_double(const struct het__signature *signature)
{
	for (int i = 0; i < signature->count; i++) {
		const het_type type = het__type_in_rows(signature->param[i].type);

		if (HET_TYPE_BASE(type) == HET_BASE_REAL && HET_TYPE_BYTES(type) / HET_TYPE_LANES(type) >= 8)
			return true;
	}
	return false;
}
