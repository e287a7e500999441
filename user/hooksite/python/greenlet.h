/* SPDX-License-Identifier: BSD-2-Clause */
/* The extension module of greenlet: what it knows, and its functions that
 * switch. A greenlet is a stack of calls. */
#ifndef GNOMON_PYTHON_GREENLET_H
#define GNOMON_PYTHON_GREENLET_H

#include <stdbool.h>

#include "api.h"

typedef void (*gn_greenlet_fn)(void);

/* Where the module has its functions that switch. */
struct gn_greenlet_places {
	gn_greenlet_fn *switch_method, *throw_method; /* of the type */
	gn_greenlet_fn *switch_in_c, *throw_in_c; /* lent to other modules */
};

/* False: gnomon does not know this module, or knows another one already.
 * `loaded` is as for gn_py_find(). */
bool gn_greenlet_find(void *loaded, struct gn_py *module,
		      struct gn_greenlet_places *places);

bool gn_greenlet_is(struct gn_py *object);

/* The one that runs; NULL: the interpreter ends. It can run code of greenlets
 * that wait for their end. Do not hold it. */
const void *gn_greenlet_current(void);

/* Where a greenlet returns to; NULL: it is that of its thread. */
const void *gn_greenlet_parent(const void *greenlet);
/* Whether it has ended: then switching to it is switching to its parent. */
bool gn_greenlet_is_dead(const void *greenlet);

#endif
