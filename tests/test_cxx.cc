// test_cxx.cc - what the headers do for C++ in a way of their own: overloads and templates for macros.
#include <hetero.hpp>

#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>

static int failures;

#define CHECK(condition) \
	((condition) ? void() : (void)(failures++, std::printf("line %d: %s\n", __LINE__, #condition)))

static bool same_place(const het_arg &a, het_array *array, het_arg_kind kind, het_mode mode)
{
	return a.kind == kind && a.mode == mode && a.u.view.array == array;
}

// An array stands for all of itself, a view for a packed box: het__arg tells them apart, as _Generic does in C.
static void check_arrays()
{
	int memory = 0;
	het_array *const array = reinterpret_cast<het_array *>(&memory); // only its address counts
	const struct het_view view = het_view(array, het_rows(3, 5));

	CHECK(same_place(het__arg(array, HET_MODE_INOUT), array, HET_ARG_ARRAY, HET_MODE_INOUT));
	CHECK(het__arg(array, HET_MODE_IN).u.view.box.rank == 0);
	CHECK(same_place(het__arg(view, HET_MODE_OUT), array, HET_ARG_PACKED, HET_MODE_OUT));
	CHECK(het__arg(view, HET_MODE_OUT).u.view.box.lo[0] == 3);
	CHECK(same_place(HET_IN(array), array, HET_ARG_ARRAY, HET_MODE_IN));
	CHECK(same_place(HET_OUT(array), array, HET_ARG_ARRAY, HET_MODE_OUT));
	CHECK(same_place(HET_INOUT(view), array, HET_ARG_PACKED, HET_MODE_INOUT));
	CHECK(HET_INOUT(view).u.view.box.hi[0] == 5);
}

// An array's owner of the program's own, which nobody copies.
struct owner {
	het_array *const array;
	explicit owner(het_array *it) : array(it) {}
	owner(const owner &) = delete;
	operator het_array *() { return array; }
};

static void check_owners()
{
	int memory = 0;
	owner mine(reinterpret_cast<het_array *>(&memory));

	CHECK(same_place(HET_IN(mine), mine.array, HET_ARG_ARRAY, HET_MODE_IN));
	CHECK(same_place(HET_OUT(mine), mine.array, HET_ARG_ARRAY, HET_MODE_OUT));
	CHECK(same_place(HET_INOUT(mine), mine.array, HET_ARG_ARRAY, HET_MODE_INOUT));
	CHECK(HET_IN(HET_EACH(mine)).u.mapped.array == mine.array);
}

// ---- hetero.hpp

static int freed;
static het_array *last_freed;

static het_status count_free(het_array *array)
{
	freed++;
	last_freed = array;
	return HET_ERR_DEVICE;
}

using counted = het::owner<het_array, count_free>;

static het_status make(het_array *value, het_array **array_p)
{
	*array_p = value;
	return HET_OK;
}

static void check_library_owners()
{
	int memory[2] = {0, 0};
	het_array *const one = reinterpret_cast<het_array *>(&memory[0]);
	het_array *const two = reinterpret_cast<het_array *>(&memory[1]);

	static_assert(!std::is_copy_constructible<counted>::value && !std::is_copy_assignable<counted>::value,
		      "there is one owner");
	{
		counted empty, x(one);

		CHECK(!empty && x == one && het_view(x, het_whole()).array == one);
		CHECK(same_place(HET_IN(x), one, HET_ARG_ARRAY, HET_MODE_IN));
		CHECK(HET_IN(HET_HALO(x, 1)).u.mapped.array == one);
		counted y(std::move(x));
		CHECK(!static_cast<het_array *>(x) && y == one && freed == 0);
		counted &same = y;
		y = std::move(same);
		CHECK(y == one && freed == 0);
		CHECK(make(two, y.out()) == HET_OK && y == two && freed == 1 && last_freed == one);
		x = std::move(y);
		CHECK(x == two && freed == 1);
	}
	CHECK(freed == 2 && last_freed == two);
	{
		counted x(one);

		CHECK(x.free() == HET_ERR_DEVICE && freed == 3 && !static_cast<het_array *>(x));
		CHECK(x.free() == HET_OK && x.release() == nullptr && freed == 3);
		counted y(two);
		CHECK(y.release() == two);
	}
	CHECK(freed == 3);
}

static void check_exceptions()
{
	bool caught = false;

	het::check(HET_OK);
	try {
		het::check(het_array_name(nullptr, "x"));
	} catch (const het::error &error) {
		caught = error.status == HET_ERR_HANDLE && std::strstr(error.what(), "het_array_name");
	}
	CHECK(caught);
}

// Of a system that is really there: all go in the right order.
static void check_real_owners()
{
	static const char text[] = "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }";
	het::system system;
	het::array x;
	het::kernel kernel;
	het::team team;
	int values[4] = {1, 2, 3, 4};

	if (het_open(nullptr, system.out()) != HET_OK) {
		std::printf("not with a system: %s\n", het_message());
		return;
	}
	het::check(het_array_wrap(system, HET_INT, het_shape(1, 4), values, x.out()));
	het::check(het_kernel_from_source(system, text, "twice", nullptr, kernel.out()));
	het_device *const first = het_device(system, 0);
	het::check(het_team_new(system, 1, &first, nullptr, team.out()));
	het::check(het_spread(kernel, team, het_grid(1, 4), HET_INOUT(HET_EACH(x))));
	het::check(x.free());
	CHECK(values[0] == 2 && values[3] == 8);
}

static void check_mappers()
{
	int memory = 0;
	het_array *const array = reinterpret_cast<het_array *>(&memory);
	const het_arg halo = HET_IN(HET_HALO(array, 1, 2)), blocks = HET_OUT(HET_BLOCKS(array, 64));
	const het_arg tiles = HET_OUT(HET_TILES(array, 4, 8)), ring = HET_IN(HET_WRAP(array, 1));

	CHECK(halo.kind == HET_ARG_MAPPED && halo.mode == HET_MODE_IN && halo.u.mapped.array == array);
	CHECK(halo.u.mapped.mapper == HET_MAPPER_HALO && halo.u.mapped.given == 2);
	CHECK(ring.u.mapped.mapper == HET_MAPPER_WRAP && ring.u.mapped.number[0] == 1);
	CHECK(halo.u.mapped.number[0] == 1 && halo.u.mapped.number[1] == 2 && halo.u.mapped.number[2] == 0);
	CHECK(blocks.u.mapped.mapper == HET_MAPPER_BLOCKS && blocks.u.mapped.number[0] == 64);
	CHECK(tiles.u.mapped.mapper == HET_MAPPER_TILES && tiles.u.mapped.given == 2);
	CHECK(tiles.u.mapped.number[0] == 4 && tiles.u.mapped.number[1] == 8);
	CHECK(HET_INOUT(HET_SUM(array)).u.mapped.mapper == HET_MAPPER_SUM);
	CHECK(HET_IN(HET_COLS_OF(array)).u.mapped.number[0] == 1);
	CHECK(het_spread(nullptr, nullptr, het_grid(1, 8), HET_OUT(HET_EACH(array))) == HET_ERR_HANDLE);
}

static void check_values()
{
	const double half = 0.5;
	const struct het_arg arg = HET_VAL(half);

	CHECK(arg.kind == HET_ARG_VALUE && arg.value_type == HET_DOUBLE && arg.bytes == sizeof half);
	CHECK(std::memcmp(arg.u.value, &half, sizeof half) == 0);
	constexpr het_type seven = HET_STRUCT(7), none = HET_STRUCT(1048576);
	CHECK(HET_TYPE_BYTES(seven) == 7 && HET_TYPE_LANES(seven) == 1 && HET_TYPE_LANES(none) == 0);
	CHECK(HET_VAL(1).value_type == HET_INT && HET_VAL(1.0f).value_type == HET_FLOAT);
	CHECK(HET_VAL(static_cast<unsigned char>(1)).bytes == 1);
}

static void check_numbers()
{
	const struct het_range grid = het_grid(3, 7, 8, 9);

	CHECK(grid.rank == 3 && grid.given == 6 && grid.lo[2] == 0 && grid.hi[0] == 7 && grid.hi[2] == 9);
	CHECK(het_grid(2, 7).given == 2); // too few: the call that gets it fails
}

static void check_initialisers()
{
	const struct het_options options = HET_OPTIONS_INIT;
	const struct het_stats stats = HET_STATS_INIT;

	CHECK(options.size == sizeof options && options.log_level == HET_LOG_WARN);
	CHECK(!options.devices && options.share == HET_SHARE_DEFAULT && !options.profile && !options.log);
	CHECK(stats.size == sizeof stats && stats.launches == 0 && stats.directory_merges == 0);
}

int main()
{
	check_arrays();
	check_owners();
	check_library_owners();
	check_exceptions();
	check_real_owners();
	check_mappers();
	check_values();
	check_numbers();
	check_initialisers();
	return failures != 0;
}
