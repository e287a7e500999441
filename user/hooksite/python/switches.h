/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calls of greenlets. Those of one are on top of those of its parent, to
 * which it returns, if the parent waits for that; else on top of those of the
 * nearest such ancestor. A greenlet that runs beside it does not have them.
 */
#ifndef GNOMON_PYTHON_SWITCHES_H
#define GNOMON_PYTHON_SWITCHES_H

#include "../call_hooks.h"

void gn_switches_begin(const struct gn_call_hooks *hooks);

/* The greenlet that runs is about to switch to this one. Returns that which
 * runs, for gn_switched_to() when it goes on. */
const void *gn_switch_to(const void *greenlet);
void gn_switched_to(const void *greenlet);

#endif
