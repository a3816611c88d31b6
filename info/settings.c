/* settings.c - the library's environment variables that are for users, and what they are set to. */
#include <stdlib.h>

#include "base/env.h"
#include "machine.h"

void settings_look(struct machine *machine)
{
#define ROW(name_, values_, meaning_) {.name = #name_, .values = (values_), .meaning = (meaning_)},
	static struct setting settings[] = {HET__ENV_USERS(ROW)};
#undef ROW

	machine->setting_count = (int)(sizeof settings / sizeof settings[0]);
	for (int i = 0; i < machine->setting_count; i++)
		settings[i].value = het__env(settings[i].name);
	machine->setting = settings;
}
