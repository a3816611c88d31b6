/* states.h - the states of a task, for C and Promela alike. */
#ifndef HETERO_TESTS_PROTOCOL_STATES_H
#define HETERO_TESTS_PROTOCOL_STATES_H

#define FREE      0
#define MADE      1
#define HELD      2
#define SUBMITTED 3
#define ENDING    4
#define GONE      5

#endif
