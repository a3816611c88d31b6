/* at_end.h - what is done at the end of the program. */
#ifndef HETERO_LIB_BASE_AT_END_H
#define HETERO_LIB_BASE_AT_END_H

/** Has `run`, always the same function, called in an exit handler; and also, before all exit handlers,
 *  when main's thread ends, if het__at_end_of_main was called on it. That thread may end before the program
 *  (pthread_exit). Any thread. */
void het__at_end(void (*run)(void));
/** On any other thread it does nothing. */
void het__at_end_of_main(void);

#endif
