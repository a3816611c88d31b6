/* folder.h - folders of the user's: for what the library need not find out twice, and for its settings. */
#ifndef HETERO_LIB_BASE_FOLDER_H
#define HETERO_LIB_BASE_FOLDER_H

#include <stddef.h>

/** The folder for built programs and verdicts: $HETERO_CACHE, else $XDG_CACHE_HOME/hetero, else
 *  ~/.cache/hetero. It is made if need be, for its owner only. Written to `path`, which is returned;
 *  NULL when HETERO_CACHE is "off" or there is nowhere to put it (`path` is then empty), or when it cannot be
 *  read, or others may have written to it (`path` has its name, or the beginning of one that is too long, errno
 *  the reason: EPERM for others). Where it cannot be written to, what is there counts all the same. */
const char *het__cache_folder(char *path, size_t bytes);
/** That reason in words. */
const char *het__cache_trouble(int code);

/** The folder for settings: $XDG_CONFIG_HOME/hetero, else ~/.config/hetero; it may not be there. Written to
 *  `path`, which is returned; NULL when there is nowhere it could be. */
const char *het__config_folder(char *path, size_t bytes);

/** Makes a folder and those above it, for their owner only, where they are missing. 0, or -1 with errno. */
int het__make_folder(char *path);

#endif
