/* SPDX-License-Identifier: BSD-2-Clause */
/* The hooks of calls in the library of an interpreter, and the indexes and
 * names of its functions. */
#ifndef GNOMON_HOOKSITE_CALL_HOOKS_H
#define GNOMON_HOOKSITE_CALL_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

typedef void (*gn_call_hook_fn)(uint64_t index, uint64_t key);

/* See the sites of the same names (call_sites.h). */
struct gn_call_hooks {
	gn_call_hook_fn enter, leave, resumed, suspended;
	bool fast;
};

/* The frame key of a thread's open call `i`, where calls share frames of the
 * machine's stack: see GN_FUNC_IS_NUMBERED(). */
static inline uint64_t gn_call_key(uint32_t i)
{
	return (1u << 31) - i;
}

/* Call it once. `fast`: fast hooks are asked for; if gnomon does not take
 * them, each hook passes its site. */
const struct gn_call_hooks *gn_call_begin(bool fast);

/* Call it before, if the interpreter goes on in a forked child. */
void gn_call_follow_forks(void);

/* gnomon is gone. */
bool gn_call_is_over(void);

/* These two are for one thread at a time, as an interpreter's lock allows. */

/* The index of a new function; 0: there are too many, which gnomon reports. */
uint32_t gn_call_new_index(void);
/* Emits the function's name. Copies the texts if they must stay. */
void gn_call_name(uint32_t index, const char *name, const char *module,
		  uint32_t line);

#endif
