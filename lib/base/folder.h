/* folder.h - the folder in which the library keeps what it need not find out twice. */
#ifndef HETERO_LIB_BASE_FOLDER_H
#define HETERO_LIB_BASE_FOLDER_H

#include <stddef.h>

/** The folder for built programs and verdicts: $HETERO_CACHE, else $XDG_CACHE_HOME/hetero, else
 *  ~/.cache/hetero. It is made if need be, for its owner only. Written to `path`, which is returned;
 *  NULL when HETERO_CACHE is "off", when there is nowhere to put it or when it cannot be written to. */
const char *het__cache_folder(char *path, size_t bytes);

#endif
