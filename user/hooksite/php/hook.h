/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts a hook in front of the engine's function that runs code. Calls of fibers
 * that give way are suspended (fiber_calls.h). */
#ifndef GNOMON_PHP_HOOK_H
#define GNOMON_PHP_HOOK_H

#include <stdbool.h>

#include "../call_hooks.h"

/* Call it when the engine has begun and no extension has. */
void gn_hook_begin(const struct gn_call_hooks *hooks);

/* Whether no extension has its own function in front of the hook. */
bool gn_hook_is_first(void);
/* Whether code has come by the hook. */
bool gn_hook_has_run(void);

#endif
