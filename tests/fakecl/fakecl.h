/* fakecl.h - how tests talk to the fake driver.
 *
 * clGetExtensionFunctionAddressForPlatform(platform, FAKECL_CONTROL) gives a function that takes one command
 * and returns a number; -1, with a line on stderr, where it does not understand the command.
 *
 *   order fifo|late|random SEED     which commands run, and when
 *   polls N                         polls of an event until `late` takes a step towards it
 *   patience MS                     until a wait that nothing but another thread could end is a deadlock
 *   latency KIND US                 how long each execution takes; kinds are ndrange, read, write, copy, fill,
 *                                   map, unmap, marker
 *   cost KIND US                    and how long for each MiB that it moves; kinds are read, write, copy
 *   corrupt KIND BYTES              executions that move so many bytes or more get one of them wrong; 0 ends
 *                                   it; kinds are read, write, copy
 *   delay US SEED                   how long calls and executions take beside that: a random time up to US
 *                                   each; 0 ends it
 *   clock MS                        how far the clock of device 0 is ahead of the host's; that of device 1 is
 *                                   twice as far...
 *   fail CALL|KIND K CODE           the K-th call of a function, or execution, from now on fails with CODE
 *   stop DEVICE K                   the device (its number in the machine file) stops at its K-th command from
 *                                   now on: that and later ones never finish
 *   go DEVICE                       it answers again
 *   stopped DEVICE                  1: it has stopped; 0: it has not
 *   successors run|fail|die         what becomes of commands after one that failed: they run; those that wait
 *                                   for it and those in its queue fail; all later ones of its context fail, as
 *                                   under NVIDIA's driver
 *   violations abort|count          what happens when OpenCL is broken
 *   forget                          no failures and no stopped devices any more
 *   pending                         functions and kinds that are still to fail
 *   count CALL|KIND|violations      so far
 *   alive CLASS|all                 objects of a class (cl_mem...) that the program has not released
 *   used MEMORY                     bytes of buffers at home in a memory, by its number
 */
#ifndef FAKECL_FAKECL_H
#define FAKECL_FAKECL_H

#define FAKECL_CONTROL "fakecl_control"
typedef long (*fakecl_control_fn)(const char *command);

#endif
