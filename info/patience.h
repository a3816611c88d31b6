/* patience.h - a driver may never answer; then the tool says which, and ends. */
#ifndef HETERO_INFO_PATIENCE_H
#define HETERO_INFO_PATIENCE_H

/** From now on `what` has so long to be done as was set; it is copied. NULL: nothing is waited for. */
void patience_for(const char *what);

/** How long, in s; 0, as in the beginning: for ever. */
void patience_set(unsigned seconds);

#endif
