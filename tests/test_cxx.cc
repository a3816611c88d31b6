// test_cxx.cc - what the headers do for C++ in a way of their own: overloads and templates for macros.
#include <hetero.h>

#include <cstdio>
#include <cstring>

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
	check_mappers();
	check_values();
	check_numbers();
	check_initialisers();
	return failures != 0;
}
