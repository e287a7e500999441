/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of families (gnomon/runtime_event.h) that need no state. */
#ifndef GNOMON_MONO_EVENTS_H
#define GNOMON_MONO_EVENTS_H

#include <stdint.h>

#include "api.h"

/* Registers the callbacks of these families, and removes all others. */
void gn_events_set(gn_mono profiler, uint32_t families);

#endif
