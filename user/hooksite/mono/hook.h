/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_MONO_HOOK_H
#define GNOMON_MONO_HOOK_H

#include <stdbool.h>
#include <stdint.h>

/* Registers the callbacks, before the runtime starts: they work until gnomon is
 * gone. `families`: of events (enum gn_family). `started`: called when the
 * runtime has read its options. False: it cannot. */
bool gn_hook_begin(bool fast, uint32_t families, void (*started)(void));

#endif
