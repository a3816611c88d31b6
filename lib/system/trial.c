/* trial.c - host and devices work on the same bytes, without any map or unmap, and count the losses.
 *
 * Everything is about single bytes at `ITEMS` places, `step` apart, of a block wrapped with
 * CL_MEM_USE_HOST_PTR: the smallest thing that one side may write while another writes its neighbour. A
 * device's kernel takes each byte through `times` steps of a fixed sequence; the host knows the outcome.
 */
#include "system/trial.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "system/seat.h"

#define ITEMS  256
#define LOCAL  32
#define ROUNDS 4

static const char source[] =
	"__kernel void het_trial(__global volatile uchar *block, ulong first, ulong step, uint times)\n"
	"{\n"
	"	const ulong at = first + get_global_id(0) * step;\n"
	"	for (uint i = 0; i < times; i++)\n"
	"		block[at] = (uchar)(block[at] * 5u + 3u);\n"
	"}\n";

/* What the kernel makes of a byte. */
static unsigned char stepped(unsigned char byte, unsigned times)
{
	for (unsigned i = 0; i < times; i++)
		byte = (unsigned char)(byte * 5u + 3u);
	return byte;
}

/* What the host puts there: any sequence will do that never repeats itself in the next round. */
static unsigned char fresh(int round, int item)
{
	return (unsigned char)(item * 37 + round * 101 + 11);
}

/* ---- one device and its part in the trial ------------------------------------------------------ */

struct hand {
	het_device *device;
	struct het__queue queue;
	cl_program program;
	cl_kernel kernel;
};

static void hand_close(struct hand *hand)
{
	het__cl_kernel_release(hand->kernel);
	het__cl_program_release(hand->program);
	het__cl_queue_release(&hand->queue);
}

/* The text is compiled for the device's seat, as kernels are: other systems may hold trials meanwhile. */
static het_status hand_open(het_device *device, struct hand *hand)
{
	const cl_context context = device->context->cl;
	const char *const name = device->name;
	char seat[HET__SEAT_BYTES];
	het_status status;

	*hand = (struct hand){.device = device};
	het__seat_option(device, seat);
	status = het__cl_queue_create(context, device->id, name, false, &hand->queue);
	if (!status)
		status = het__cl_program_source(context, source, sizeof source - 1, name, &hand->program);
	if (!status)
		status = het__cl_program_build(hand->program, 1, &device->id, seat, name,
		                               "the kernel that tries shared memory does not build");
	if (!status)
		status = het__cl_kernel_create(hand->program, "het_trial", name, &hand->kernel);
	if (status)
		hand_close(hand);
	return status;
}

static het_status set_args(const struct hand *hand, cl_mem mem, cl_ulong first, cl_ulong step, cl_uint times)
{
	const char *const name = hand->device->name;
	het_status status = het__cl_set_arg(hand->kernel, 0, sizeof mem, &mem, "het_trial", name);

	if (!status)
		status = het__cl_set_arg(hand->kernel, 1, sizeof first, &first, "het_trial", name);
	if (!status)
		status = het__cl_set_arg(hand->kernel, 2, sizeof step, &step, "het_trial", name);
	if (!status)
		status = het__cl_set_arg(hand->kernel, 3, sizeof times, &times, "het_trial", name);
	return status;
}

/* Sets the device to work on its bytes of the block; *event_p tells when it is done. */
static het_status work(const struct hand *hand, cl_mem mem, size_t first, size_t step, unsigned times,
                       cl_event *event_p)
{
	static const size_t global = ITEMS;
	const size_t most = hand->device->facts.max_work_group;
	const size_t local = most && most < LOCAL ? 1 : LOCAL;
	const struct het__after nothing = {0, NULL};
	het_status status = set_args(hand, mem, first, step, times);

	if (!status)
		status = het__cl_launch(&hand->queue, hand->kernel, "het_trial", 1, NULL, &global, &local,
		                        nothing, event_p);
	return status ? status : het__cl_flush(&hand->queue);
}

/* Waits for work and gives its event back. An event of NULL was never made. */
static het_status finish(const struct hand *hand, cl_event event)
{
	het_status status = HET_OK;
	int code = 0;

	if (!event)
		return HET_OK;
	het__cl_event_wait(event);
	if (het__cl_event_poll(event, &code) != HET__EVENT_DONE)
		status = het__fail_cl(HET_ERR_DEVICE, code, "clWaitForEvents", hand->device->name,
		                      "kernel 'het_trial'");
	het__cl_event_release(event);
	return status;
}

/* ---- host and device by turns ------------------------------------------------------------------ */

/* A block: where it starts after a page boundary, and how far apart the bytes are that are looked at. Only
 * these are touched, so that the large block costs a few pages. */
struct block {
	size_t offset, step;
};

static size_t block_bytes(const struct block *block)
{
	return (ITEMS - 1) * block->step + 2;
}

/* Each byte's neighbour is the host's alone and must stay as it was. */
static void write_turn(unsigned char *bytes, size_t step, int round)
{
	for (int i = 0; i < ITEMS; i++) {
		bytes[(size_t)i * step + 1] = fresh(round, i + ITEMS);
		bytes[(size_t)i * step] = fresh(round, i);
	}
}

static bool check_turn(const volatile unsigned char *bytes, size_t step, int round, unsigned times)
{
	for (int i = 0; i < ITEMS; i++)
		if (bytes[(size_t)i * step] != stepped(fresh(round, i), times) ||
		    bytes[(size_t)i * step + 1] != fresh(round, i + ITEMS))
			return false;
	return true;
}

static het_status take_turns(const struct hand *hand, cl_mem mem, unsigned char *bytes, size_t step,
                             bool *right_p)
{
	het_status status = HET_OK;
	bool right = true;

	for (int round = 0; round < ROUNDS && right && !status; round++) {
		cl_event event = NULL;
		write_turn(bytes, step, round);
		status = work(hand, mem, 0, step, (unsigned)round + 1, &event);
		const het_status finished = finish(hand, event);
		if (!status)
			status = finished;
		right = status || check_turn(bytes, step, round, (unsigned)round + 1);
	}
	*right_p = right;
	return status;
}

static het_status try_block(const struct hand *hand, const struct block *block, bool *right_p)
{
	const size_t bytes = block_bytes(block);
	unsigned char *const memory = het__alloc_sparse(4096, block->offset + bytes);
	cl_mem mem = NULL;
	het_status status;

	if (!memory)
		return het__fail(HET_ERR_MEMORY, "no memory to try whether %s shares the host's",
		                 hand->device->name);
	status = het__cl_buffer_wrap(hand->device->context->cl, memory + block->offset, bytes,
	                             hand->device->name, &mem);
	if (!status)
		status = take_turns(hand, mem, memory + block->offset, block->step, right_p);
	het__cl_buffer_release(mem);
	het__free_aligned(memory);
	return status;
}

static het_status try_blocks(const struct hand *hand, bool *right_p)
{
	/* Small; across page boundaries; larger than what drivers treat as small, which some copy. */
	static const struct block blocks[] = {
		{128, 2}, {4096 - 128, 37}, {2048 + 128, ((72u << 20) / ITEMS) | 1}};
	const uint64_t most = hand->device->facts.max_alloc_bytes;
	het_status status = HET_OK;

	*right_p = true;
	for (size_t i = 0; i < sizeof blocks / sizeof blocks[0] && *right_p && !status; i++)
		if (!most || block_bytes(&blocks[i]) <= most)
			status = try_block(hand, &blocks[i], right_p);
	return status;
}

/* ---- all at once ------------------------------------------------------------------------------- */

/* Byte 0 of every three is the device's, byte 1 the partner's, byte 2 the host's: no line of any cache
 * belongs to one alone. */
enum { OWN, PARTNER, HOST, WRITERS };

#define TOGETHER_BYTES (ITEMS * WRITERS)
#define TOGETHER_TIMES 24u

struct together {
	const struct hand *hands[2]; /* [1] is NULL without a partner */
	cl_mem mems[2];              /* the same one in a shared context */
	volatile unsigned char *bytes;
};

static void host_part(volatile unsigned char *bytes)
{
	for (int i = 0; i < ITEMS; i++)
		for (unsigned t = 0; t < TOGETHER_TIMES; t++)
			bytes[i * WRITERS + HOST] = (unsigned char)(bytes[i * WRITERS + HOST] * 5u + 3u);
}

static bool check_together(const struct together *all, int round)
{
	const int last_untouched = all->hands[1] ? -1 : PARTNER;

	for (int i = 0; i < TOGETHER_BYTES; i++) {
		const unsigned times = i % WRITERS == last_untouched ? 0 : TOGETHER_TIMES;
		if (all->bytes[i] != stepped(fresh(round, i), times))
			return false;
	}
	return true;
}

static het_status one_round(const struct together *all, int round)
{
	cl_event events[2] = {NULL, NULL};
	het_status status = HET_OK;

	for (int i = 0; i < TOGETHER_BYTES; i++)
		all->bytes[i] = fresh(round, i);
	for (size_t h = 0; h < 2 && all->hands[h] && !status; h++)
		status = work(all->hands[h], all->mems[h], h, WRITERS, TOGETHER_TIMES, &events[h]);
	host_part(all->bytes);
	for (size_t h = 0; h < 2 && all->hands[h]; h++) {
		const het_status finished = finish(all->hands[h], events[h]);
		if (!status)
			status = finished;
	}
	return status;
}

static het_status wrap_together(struct together *all, void *memory)
{
	const het_device *const one = all->hands[0]->device;
	const het_device *const two = all->hands[1] ? all->hands[1]->device : one;
	het_status status;

	status = het__cl_buffer_wrap(one->context->cl, memory, TOGETHER_BYTES, one->name, &all->mems[0]);
	if (status)
		return status;
	all->mems[1] = all->mems[0];
	if (two->context == one->context)
		return HET_OK;
	all->mems[1] = NULL;
	return het__cl_buffer_wrap(two->context->cl, memory, TOGETHER_BYTES, two->name, &all->mems[1]);
}

static het_status try_together(const struct hand *hand, const struct hand *partner, bool *right_p)
{
	struct together all = {.hands = {hand, partner}};
	unsigned char *const memory = het__alloc_aligned(4096, TOGETHER_BYTES + 128);
	het_status status;

	if (!memory)
		return het__fail(HET_ERR_MEMORY, "no memory to try whether %s shares the host's",
		                 hand->device->name);
	*right_p = true;
	all.bytes = memory + 128;
	status = wrap_together(&all, memory + 128);
	for (int round = 0; round < 2 * ROUNDS && *right_p && !status; round++) {
		status = one_round(&all, round);
		*right_p = status || check_together(&all, round);
	}
	if (all.mems[1] != all.mems[0])
		het__cl_buffer_release(all.mems[1]);
	het__cl_buffer_release(all.mems[0]);
	het__free_aligned(memory);
	return status;
}

/* ---- the trial --------------------------------------------------------------------------------- */

static het_status try_alone(het_device *device, bool *right_p)
{
	struct hand hand;
	het_status status = hand_open(device, &hand);

	if (status)
		return status;
	status = try_blocks(&hand, right_p);
	if (!status && *right_p)
		status = try_together(&hand, NULL, right_p);
	hand_close(&hand);
	return status;
}

static het_status try_beside(het_device *device, het_device *partner, bool *right_p)
{
	struct hand hand, other;
	het_status status = hand_open(device, &hand);

	if (status)
		return status;
	status = hand_open(partner, &other);
	if (!status) {
		status = try_together(&hand, &other, right_p);
		hand_close(&other);
	}
	hand_close(&hand);
	return status;
}

/* The lock is the system's, whichever of the two has the driver that needs it. */
het_status het__trial(het_device *device, het_device *partner, bool *right_p)
{
	const het_device *const touchy = partner && partner->driver->runs_in_caller ? partner : device;
	het_status status;

	het__driver_lock(touchy);
	status = partner ? try_beside(device, partner, right_p) : try_alone(device, right_p);
	het__driver_unlock(touchy);
	return status;
}
