/* at_end.h - what is done at the end of the program. */
#ifndef HETERO_LIB_BASE_AT_END_H
#define HETERO_LIB_BASE_AT_END_H

/** `run` is called in an exit handler, and before all exit handlers where main's thread ends the program
 *  and het__at_end_of_main was called on it: also twice, then. That thread may end without the program
 *  (pthread_exit). It is always the same function. Any thread. */
void het__at_end(void (*run)(void));
/** On any other thread nothing happens. */
void het__at_end_of_main(void);

#endif
