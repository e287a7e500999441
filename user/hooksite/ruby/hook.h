/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_RUBY_HOOK_H
#define GNOMON_RUBY_HOOK_H

#include <stdbool.h>

#include "../call_hooks.h"

/* Hooks all events of methods, in this interpreter, until gnomon is gone.
 * False: it cannot. `hooks` stays. */
bool gn_hook_begin(const struct gn_call_hooks *hooks);

/* The code outside of all methods begins and ends. */
void gn_hook_enter_main(void);
void gn_hook_leave_main(void);

#endif
