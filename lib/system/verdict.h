/* verdict.h - outcomes of trials, remembered by the system and on disk. Private to lib/system.
 *
 * `about` says in lines of text what was tried: it is the key, in full. On disk a verdict is a small text
 * file in the cache folder (base/folder.h) that holds the key again; a file that differs in anything is
 * as good as missing. All functions are called with open_lock.
 */
#ifndef HETERO_LIB_SYSTEM_VERDICT_H
#define HETERO_LIB_SYSTEM_VERDICT_H

#include "system/system.h"

enum het__verdict { HET__VERDICT_NONE, HET__VERDICT_NO, HET__VERDICT_YES };

enum het__verdict het__verdict_find(het_system *system, const char *about);

/** Remembers a verdict; on disk only what a trial showed, not what kept it from being held (`lasting`
 *  false). Trouble is logged and otherwise ignored: the trial is held again some day. */
void het__verdict_keep(het_system *system, const char *about, enum het__verdict verdict, bool lasting);

#endif
