/* emit.c - writes the C program that does what hetero-stepocl would do: see run.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "calibrate/tool.h"
#include "run.h"

struct writer {
	FILE *to;
	const struct description *description;
	const struct job *job;
};

static void put(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct writer *writer, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vfprintf(writer->to, format, list);
	va_end(list);
}

/* A string of C. */
static void put_string(struct writer *writer, const char *text)
{
	put(writer, "\"");
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;
		if (c == '"' || c == '\\' || c == '?')
			put(writer, "\\%c", c);
		else if (c < ' ' || c == 127)
			put(writer, "\\%03o", c);
		else
			put(writer, "%c", c);
	}
	put(writer, "\"");
}

/* A text inside a comment, which it must not end; compilers warn where another seems to begin. */
static void put_plain(struct writer *writer, const char *text)
{
	for (char before = ' '; *text; before = *text++) {
		const bool mark = (*text == '/' && before == '*') || (*text == '*' && before == '/');
		put(writer, "%c", (unsigned char)*text < ' ' || mark ? '?' : *text);
	}
}

/* A constant of C with these bits, also of -0. */
static void put_real(struct writer *writer, double value, int digits)
{
	char text[40];

	snprintf(text, sizeof text, "%.*g", digits, value);
	put(writer, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

/* The value of an element or number, of its own C type. */
static void put_value(struct writer *writer, int i)
{
	const struct type *const type = writer->description->argument[i].type;
	const struct datum *const datum = &writer->job->data[i];
	const int64_t whole = type_whole(type, datum->value.byte);

	put(writer, "(%s)", type->c_name);
	if (type->het == HET_FLOAT)
		put_real(writer, datum->value.real, 9);
	else if (type->het == HET_DOUBLE)
		put_real(writer, datum->value.wide, 17);
	else if (type->numbers == OF_NATURALS)
		put(writer, "UINT64_C(%" PRIu64 ")", (uint64_t)whole);
	else if (whole == INT64_MIN)
		put(writer, "INT64_MIN");
	else
		put(writer, "INT64_C(%" PRId64 ")", whole);
}

static const char *name(const struct writer *writer, int i)
{
	return writer->description->argument[i].name;
}

/* ---- what stands before main ----------------------------------------------------------------- */

static bool any(const struct writer *writer, bool (*is)(const struct writer *writer, int i))
{
	for (int i = 0; i < writer->description->arguments; i++)
		if (is(writer, i))
			return true;
	return false;
}

static bool is_read(const struct writer *writer, int i)
{
	return writer->job->data[i].in != NULL;
}

static bool is_written(const struct writer *writer, int i)
{
	return writer->job->data[i].out != NULL;
}

static bool is_shifted(const struct writer *writer, int i)
{
	const struct argument *const argument = &writer->description->argument[i];

	return argument->is_memory && (argument->has_shadow || argument->property == OUTPUT) &&
	       !at_origin(argument);
}

static void put_head(struct writer *writer)
{
	const bool writes = any(writer, is_written);

	put(writer, "/* Written by %s %s from ", program, het_version());
	put_plain(writer, writer->job->path);
	put(writer, ": the kernel ");
	put_plain(writer, writer->description->function);
	put(writer, writer->job->devices ? " on these devices: " : " on all devices");
	put_plain(writer, writer->job->devices ? writer->job->devices : "");
	put(writer,
	    ".\n"
	    " * Build: cc -std=c11 THIS.c -o PROGRAM $(pkg-config --cflags --libs hetero)\n"
	    " * Dimension 0 of an array is the outermost: the description's x is the last one here. */\n"
	    "#define _POSIX_C_SOURCE 200809L\n"
	    "%s#include <hetero.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
	    "%s\n"
	    "static void must(het_status status)\n{\n"
	    "\tif (status == HET_OK)\n\t\treturn;\n"
	    "\tfprintf(stderr, \"%%s\\n\", het_message());\n\texit(EXIT_FAILURE);\n}\n\n",
	    writes ? "#include <fcntl.h>\n" : "",
	    writes ? "#include <sys/stat.h>\n#include <time.h>\n#include <unistd.h>\n" : "#include <time.h>\n");
}

static void put_load(struct writer *writer)
{
	put(writer,
	    "/* Sets an array from a file of just its elements. */\n"
	    "static void load(het_array *array, const char *path)\n{\n"
	    "\tstruct het_array_info info = HET_ARRAY_INFO_INIT;\n\tvoid *elements;\n"
	    "\tFILE *const file = fopen(path, \"rb\");\n\n"
	    "\tif (!file)\n\t\tfile_failed(path);\n"
	    "\tmust(het_array_info(array, &info));\n\tmust(het_map(array, HET_WRITE, &elements));\n"
	    "\tif (fread(elements, 1, info.bytes, file) != info.bytes || getc(file) != EOF) {\n"
	    "\t\tif (ferror(file))\n\t\t\tfile_failed(path);\n"
	    "\t\tfprintf(stderr, \"%%s has another size than the array\\n\", path);\n"
	    "\t\texit(EXIT_FAILURE);\n\t}\n"
	    "\tfclose(file);\n\tmust(het_unmap(array));\n}\n\n");
}

/* As in base/file.c. */
static void put_permissions(struct writer *writer)
{
	put(writer,
	    "/* Over nothing. What takes the place of a file is at first for nobody else. */\n"
	    "static FILE *new_file(const char *path, int takes_place)\n{\n"
	    "\tconst int file = open(path, O_WRONLY | O_CREAT | O_EXCL, takes_place ? 0600 : 0666);\n\n"
	    "\treturn file < 0 ? NULL : fdopen(file, \"wb\");\n}\n\n"
	    "/* Who may read what was there may read what takes its place, and nobody else. */\n"
	    "static void keep_permissions(int file, const struct stat *as)\n{\n"
	    "\tconst int has_group = fchown(file, (uid_t)-1, as->st_gid) == 0;\n\n"
	    "\t(void)fchmod(file, as->st_mode & (has_group ? 0777 : 0707));\n}\n\n");
}

static void put_save(struct writer *writer)
{
	put_permissions(writer);
	put(writer,
	    "/* Writes an array's elements, beside the file and then in its place: until they are all there\n"
	    " * what was there stays. Waits for them. */\n"
	    "static void save(het_array *array, const char *path, const char *fresh)\n{\n"
	    "\tstruct het_array_info info = HET_ARRAY_INFO_INIT;\n\tstruct stat there;\n"
	    "\tconst int is_there = lstat(path, &there) == 0;\n"
	    "\tvoid *elements;\n\tFILE *file;\n\n"
	    "\tif (is_there && !S_ISREG(there.st_mode))\n"
	    "\t\tfresh = path; /* a device, a pipe, a link */\n"
	    "\tmust(het_array_info(array, &info));\n\tmust(het_map(array, HET_READ, &elements));\n"
	    "\tfile = fresh == path ? fopen(path, \"wb\") : new_file(fresh, is_there);\n"
	    "\tif (!file)\n\t\tfile_failed(fresh);\n"
	    "\tif (is_there && fresh != path)\n\t\tkeep_permissions(fileno(file), &there);\n"
	    "\tif (fwrite(elements, 1, info.bytes, file) != info.bytes || fclose(file) != 0 ||\n"
	    "\t    (fresh != path && rename(fresh, path) != 0)) {\n"
	    "\t\tperror(path);\n\t\tif (fresh != path)\n\t\t\tremove(fresh);\n"
	    "\t\texit(EXIT_FAILURE);\n\t}\n"
	    "\tmust(het_unmap(array));\n}\n\n");
}

static void put_files(struct writer *writer)
{
	if (!any(writer, is_read) && !any(writer, is_written))
		return;
	put(writer, "static void file_failed(const char *path)\n{\n"
		    "\tperror(path);\n\texit(EXIT_FAILURE);\n}\n\n");
	if (any(writer, is_read))
		put_load(writer);
	if (any(writer, is_written))
		put_save(writer);
}

/* A function for an array that rises from one element to the next. */
static void put_slope(struct writer *writer, int i)
{
	const struct argument *const argument = &writer->description->argument[i];
	const struct datum *const datum = &writer->job->data[i];

	put(writer,
	    "static void fill_%s(het_array *array)\n{\n\t%s *element;\n\n"
	    "\tmust(het_map(array, HET_WRITE, &element));\n"
	    "\tfor (int64_t i = 0; i < INT64_C(%" PRId64 "); i++) {\n"
	    "\t\tint64_t rest = i;\n\t\tdouble value = ",
	    argument->name, argument->type->c_name, argument_elements(argument));
	put_real(writer, datum->base, 17);
	put(writer, ";\n\n");
	for (int d = 0; d < argument->rank; d++) {
		put(writer, "\t\tvalue += ");
		put_real(writer, datum->step[d], 17);
		put(writer, " * (double)(rest %% INT64_C(%" PRId64 "));\n", argument->size[d]);
		if (d + 1 < argument->rank)
			put(writer, "\t\trest /= INT64_C(%" PRId64 ");\n", argument->size[d]);
	}
	put(writer, "\t\telement[i] = (%s)value;\n\t}\n\tmust(het_unmap(array));\n}\n\n",
	    argument->type->c_name);
}

static void put_shift_numbers(struct writer *writer, const struct argument *argument, int side)
{
	put(writer, "{");
	for (int d = argument->rank - 1; d >= 0; d--) {
		int64_t number = side == 2 ? argument->size[d] : argument->origin[d];
		int64_t reach = 0;
		for (int p = 0; p < argument->points && side < 2; p++) {
			const int64_t step = argument->point[p][d];
			reach = (side ? step > reach : step < reach) ? step : reach;
		}
		number += reach;
		put(writer, "%s%" PRId64, d < argument->rank - 1 ? ", " : "", number);
	}
	put(writer, "}");
}

static void put_shifts(struct writer *writer)
{
	if (!any(writer, is_shifted))
		return;
	put(writer,
	    "/* What work-items touch of an array whose elements are not numbered as they are. */\n"
	    "struct reach {\n\tint rank;\n\tint64_t before[3], after[3], size[3];\n};\n\n"
	    "static void touched(void *user, const struct het_box *part, struct het_box *box)\n{\n"
	    "\tconst struct reach *const reach = user;\n\tint64_t list[6];\n\n"
	    "\tfor (int d = 0; d < reach->rank; d++) {\n"
	    "\t\tconst int64_t lo = part->lo[d] + reach->before[d], hi = part->hi[d] + reach->after[d];\n"
	    "\t\tlist[2 * d] = lo > 0 ? lo : 0;\n"
	    "\t\tlist[2 * d + 1] = hi < reach->size[d] ? hi : reach->size[d];\n\t}\n"
	    "\t*box = het_box_of(reach->rank, 2 * reach->rank, list);\n}\n\n");
	for (int i = 0; i < writer->description->arguments; i++) {
		const struct argument *const argument = &writer->description->argument[i];
		if (!is_shifted(writer, i))
			continue;
		put(writer, "static struct reach reach_%s = {%d, ", argument->name, argument->rank);
		for (int side = 0; side < 3; side++) {
			put_shift_numbers(writer, argument, side);
			put(writer, side < 2 ? ", " : "};\n");
		}
	}
	put(writer, "\n");
}

static void put_functions(struct writer *writer)
{
	put_files(writer);
	for (int i = 0; i < writer->description->arguments; i++)
		if (writer->job->data[i].sloped)
			put_slope(writer, i);
	put_shifts(writer);
	put(writer, "static double seconds(void)\n{\n\tstruct timespec now;\n\n"
		    "\tclock_gettime(CLOCK_MONOTONIC, &now);\n"
		    "\treturn (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;\n}\n\n");
}

/* ---- main ------------------------------------------------------------------------------------ */

static void put_array(struct writer *writer, int i)
{
	const struct argument *const argument = &writer->description->argument[i];
	const struct datum *const datum = &writer->job->data[i];

	if (!argument->is_memory)
		return;
	put(writer, "\tmust(het_array_new(system, %s, het_shape(%d", argument->type->het_name, argument->rank);
	for (int d = argument->rank - 1; d >= 0; d--)
		put(writer, ", %" PRId64, argument->size[d]);
	put(writer, "), &array_%s));\n\tmust(het_array_name(array_%s, \"%s\"));\n", argument->name,
	    argument->name, argument->name);
	if (datum->given) {
		put(writer, "\tmust(het_fill(het_view(array_%s, het_whole()), &(const %s){", argument->name,
		    argument->type->c_name);
		put_value(writer, i);
		put(writer, "}));\n");
	} else if (datum->sloped) {
		put(writer, "\tfill_%s(array_%s);\n", argument->name, argument->name);
	} else if (datum->in) {
		put(writer, "\tload(array_%s, ", argument->name);
		put_string(writer, datum->in);
		put(writer, ");\n");
	}
}

static void put_arrays(struct writer *writer)
{
	const struct description *const d = writer->description;

	for (int i = 0; i < d->arguments; i++)
		put_array(writer, i);
	if (writer->job->data[d->output].copied)
		put(writer,
		    "\t/* What the kernel does not write stays as it is in %s. */\n"
		    "\tmust(het_copy(het_view(array_%s, het_whole()), het_view(array_%s, het_whole())));\n",
		    name(writer, d->successor), name(writer, d->output), name(writer, d->successor));
}

static void put_mapper(struct writer *writer, int i)
{
	const struct argument *const argument = &writer->description->argument[i];

	if (argument_is_read_whole(argument)) {
		put(writer, "array_%s", argument->name);
	} else if (is_shifted(writer, i)) {
		put(writer, "HET_MAP_BY(array_%s, touched, &reach_%s)", argument->name, argument->name);
	} else if (!argument->points) {
		put(writer, "HET_EACH(array_%s)", argument->name);
	} else {
		put(writer, "HET_HALO(array_%s", argument->name);
		for (int d = argument->rank - 1; d >= 0; d--)
			put(writer, ", %" PRId64, radius(argument, d));
		put(writer, ")");
	}
}

static void put_argument(struct writer *writer, int i)
{
	const struct argument *const argument = &writer->description->argument[i];

	put(writer, ",\n\t\t\t\t");
	if (!argument->is_memory) {
		put(writer, "HET_VAL(");
		put_value(writer, i);
	} else {
		put(writer, "%s(",
		    argument->property == INPUT       ? "HET_IN"
		    : writes_all(writer->description) ? "HET_OUT"
						      : "HET_INOUT");
		put_mapper(writer, i);
	}
	put(writer, ")");
}

static void put_range(struct writer *writer)
{
	const struct description *const d = writer->description;

	put(writer, "\tstruct het_range range = het_range(%d", d->rank);
	for (int i = d->rank - 1; i >= 0; i--)
		put(writer, ", %" PRId64 ", %" PRId64, d->offset[i], d->offset[i] + d->global[i]);
	put(writer, ");\n");
}

static void put_loop(struct writer *writer)
{
	const struct description *const d = writer->description;

	put(writer, "\tbegan = seconds();\n");
	if (d->iterations > 1)
		put(writer,
		    "\tfor (int64_t i = 0; i < INT64_C(%" PRId64 "); i++) {\n"
		    "\t\tif (i) /* what was made is what is read next */\n"
		    "\t\t\tmust(het_swap(array_%s, array_%s));\n",
		    d->iterations, name(writer, d->successor), name(writer, d->output));
	else
		put(writer, "\t{\n");
	put(writer, "\t\tmust(het_spread(kernel, het_everyone(system), range");
	for (int i = 0; i < d->arguments; i++)
		put_argument(writer, i);
	put(writer, "));\n\t}\n\tmust(het_wait_all(system));\n\tbegan = seconds() - began;\n");
}

static void put_rate(struct writer *writer)
{
	const struct description *const d = writer->description;
	double points = (double)d->iterations;

	for (int i = 0; i < d->rank; i++)
		points *= (double)d->global[i];
	put(writer,
	    "\tprintf(\"%" PRId64 " iteration%s in %%.6f s: %%.4g Mpoint/s\", began, %.17g / began * 1e-6);\n",
	    d->iterations, d->iterations == 1 ? "" : "s", points);
	if (d->flops > 0)
		put(writer, "\tprintf(\", %%.4g GFLOP/s\", %.17g / began * 1e-9);\n", points * d->flops);
	put(writer, "\tprintf(\"\\n\");\n");
}

static void put_variables(struct writer *writer)
{
	const struct description *const d = writer->description;

	put_range(writer);
	if (writer->job->devices)
		put(writer, "\tstruct het_options options = HET_OPTIONS_INIT;\n");
	put(writer, "\thet_system *system;\n\thet_kernel *kernel;\n");
	for (int i = 0; i < d->arguments; i++)
		if (d->argument[i].is_memory)
			put(writer, "\thet_array *array_%s;\n", d->argument[i].name);
	put(writer, "\tdouble began;\n\n");
	if (!d->grouped)
		return;
	put(writer, "\trange = het_local(range");
	for (int i = d->rank - 1; i >= 0; i--)
		put(writer, ", %" PRId64, d->local[i]);
	put(writer, ");\n");
}

static void put_open(struct writer *writer)
{
	if (writer->job->devices) {
		put(writer, "\toptions.devices = ");
		put_string(writer, writer->job->devices);
		put(writer, ";\n");
	}
	put(writer, "\tmust(het_open(%s, &system));\n", writer->job->devices ? "&options" : "NULL");
}

static void put_kernel(struct writer *writer)
{
	const struct description *const d = writer->description;

	put(writer, "\tmust(het_kernel_from_file(system, ");
	put_string(writer, writer->job->kernel);
	put(writer, ", ");
	put_string(writer, d->function);
	put(writer, ", ");
	if (*d->options)
		put_string(writer, d->options);
	else
		put(writer, "NULL");
	put(writer, ", &kernel));\n");
}

static void put_main(struct writer *writer)
{
	const struct description *const d = writer->description;

	put(writer, "int main(void)\n{\n");
	put_variables(writer);
	put_open(writer);
	put_kernel(writer);
	put_arrays(writer);
	put(writer,
	    "\tfor (int i = 0; i < het_device_count(system); i++) /* so that compilers are not timed */\n"
	    "\t\tmust(het_kernel_build(kernel, het_device(system, i)));\n"
	    "\tmust(het_wait_all(system));\n\n");
	put_loop(writer);
	put_rate(writer);
	for (int i = 0; i < d->arguments; i++)
		if (writer->job->data[i].out) {
			put(writer, "\tsave(array_%s, ", d->argument[i].name);
			put_string(writer, writer->job->data[i].out);
			put(writer, ", ");
			put_string(writer, writer->job->data[i].out);
			put(writer, " \".new\");\n");
		}
	put(writer, "\tmust(het_close(system));\n"
		    "\tif (fflush(stdout) != 0 || ferror(stdout)) {\n"
		    "\t\tperror(\"the output\");\n\t\treturn EXIT_FAILURE;\n\t}\n"
		    "\treturn EXIT_SUCCESS;\n}\n");
}

static bool failed(const char *path, const char *why)
{
	fprintf(stderr, "%s: %s: %s\n", program, path, why);
	return false;
}

/* The beginning of a path as a shell's word; compilers take - for an option and @ for a file of them. */
static void show_word(const char *path, size_t length)
{
	fputs(*path == '-' || *path == '@' ? "'./" : "'", stdout);
	for (size_t i = 0; i < length; i++)
		if (path[i] == '\'')
			fputs("'\\''", stdout);
		else
			putchar(path[i]);
	putchar('\'');
}

static void show_command(const char *path)
{
	const size_t length = strlen(path);

	printf("cc -std=c11 ");
	show_word(path, length);
	printf(" -o ");
	show_word(path, length - strlen(".c"));
	printf(" $(pkg-config --cflags --libs hetero)\n");
}

bool job_emit(const struct job *job, const char *path)
{
	char *text = NULL;
	size_t bytes = 0;
	struct writer writer = {open_memstream(&text, &bytes), job->description, job};
	bool good;

	if (!writer.to)
		return failed(path, strerror(errno));
	put_head(&writer);
	put_functions(&writer);
	put_main(&writer);
	good = !ferror(writer.to);
	if (fclose(writer.to) != 0 || !good) {
		free(text);
		return failed(path, "no memory");
	}
	good = het__file_replace(path, text, bytes) || failed(path, strerror(errno));
	free(text);
	if (good)
		show_command(path);
	return good;
}
