/* at_end.c - what is done at the end of the program.
 *
 * Exit handlers are called from the last to the first, and drivers and their compilers register their own
 * whenever they are first needed, on threads of theirs: ours may come too late. But exit calls before all
 * handlers what its thread has left to be done at its end, as C++ does for thread_local objects.
 */
#include "base/at_end.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void (*_Atomic to_run)(void);

/* glibc's: what a thread is to do at its end. The library stays loaded until then. */
extern int __cxa_thread_atexit_impl(void (*at_end)(void *), void *about, void *library) __attribute__((weak));
extern void *__dso_handle;

static void end_program(void)
{
	void (*const run)(void) = atomic_load(&to_run);

	if (run)
		run();
}

static void end_thread(void *about)
{
	(void)about;
	end_program();
}

void het__at_end_of_main(void)
{
	static _Thread_local bool registered;

	if (!registered && __cxa_thread_atexit_impl && syscall(SYS_gettid) == getpid())
		registered = __cxa_thread_atexit_impl(end_thread, NULL, &__dso_handle) == 0;
}

void het__at_end(void (*run)(void))
{
	static atomic_bool registered;

	atomic_store(&to_run, run);
	if (!atomic_exchange(&registered, true))
		(void)atexit(end_program); /* fails only without memory */
	het__at_end_of_main();
}
