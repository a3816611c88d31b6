// hetero.hpp - for C++11 and later: owners that free their handles, and failures as exceptions. Everything else
// is used as hetero.h has it; an owner goes wherever its handle does, as in HET_IN(x) and HET_HALO(x, 1).
#ifndef HETERO_HPP
#define HETERO_HPP

#include <hetero.h>

#include <stdexcept>

namespace het
{

/** A call that did not return HET_OK; what() is het_message() of the thread in which it was thrown. */
class error : public std::runtime_error
{
public:
	explicit error(het_status status_) : std::runtime_error(het_message()), status(status_) {}

	const het_status status;
};

/** Throws het::error where a call failed: het::check(het_launch(...)). To be called in the call's thread,
 *  before that thread's next call. */
inline void check(het_status status)
{
	if (status != HET_OK)
		throw error(status);
}

/** The one owner of a handle, which it frees at its end; moved, never copied, and empty after that. For use by
 *  one thread at a time; the handle itself may be used by any. */
template <typename T, het_status (*Free)(T *)> class owner
{
public:
	owner() noexcept : handle(nullptr) {}
	explicit owner(T *handle_) noexcept : handle(handle_) {}
	owner(owner &&other) noexcept : handle(other.release()) {}
	owner(const owner &) = delete;
	owner &operator=(const owner &) = delete;

	owner &operator=(owner &&other) noexcept
	{
		if (this != &other) {
			(void)free();
			handle = other.release();
		}
		return *this;
	}

	/** Nobody is told of a failure here. Where one matters, as of wrapped memory that is written back, call
	 *  het::check(x.free()) before. */
	~owner() { (void)free(); }

	/** NULL for one that is empty. */
	operator T *() const noexcept { return handle; }

	/** For calls that make a handle: het_open(nullptr, system.out()). What it owned before is freed. */
	T **out()
	{
		(void)free();
		return &handle;
	}

	/** Gives the handle away; the owner is empty afterwards. */
	T *release() noexcept
	{
		T *const given = handle;

		handle = nullptr;
		return given;
	}

	/** Frees it now, and returns what that returns; the owner is empty afterwards. */
	het_status free() { return handle ? Free(release()) : HET_OK; }

private:
	T *handle;
};

/** A system frees all that belongs to it: declare it before the others of its scope, so that these go before
 *  it. */
using system = owner<het_system, het_close>;
using array = owner<het_array, het_array_free>;
using kernel = owner<het_kernel, het_kernel_free>;
using team = owner<het_team, het_team_free>;

} // namespace het

// An owner's handle is not freed beside it: x.free() does that, or het_array_discard(x.release()).
het_status het_close(const het::system &) = delete;
het_status het_array_free(const het::array &) = delete;
het_status het_array_discard(const het::array &) = delete;
het_status het_kernel_free(const het::kernel &) = delete;
het_status het_team_free(const het::team &) = delete;

#endif
