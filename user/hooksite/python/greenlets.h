/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * greenlet, on which gevent, eventlet and SQLAlchemy build, switches a thread
 * between stacks of calls. No event of the interpreter tells of that, so the
 * functions of its extension module that switch are replaced by ours.
 */
#ifndef GNOMON_PYTHON_GREENLETS_H
#define GNOMON_PYTHON_GREENLETS_H

#include <stdbool.h>

#include "../call_hooks.h"
#include "api.h"

/* `loaded` is as for gn_py_find(). The program may have the module already. */
void gn_greenlets_begin(void *loaded, const struct gn_call_hooks *hooks);
/* Gives the module its functions back. */
void gn_greenlets_end(void);

/* An audit event. */
void gn_greenlets_see(const char *event, struct gn_py *args);

/* The module is about to be loaded. */
extern bool gn_greenlets_awaited __attribute__((visibility("hidden")));
/* It may be there: before any code can use it. */
void gn_greenlets_look(void);

#endif
