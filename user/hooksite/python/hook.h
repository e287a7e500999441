/* SPDX-License-Identifier: BSD-2-Clause */
/* The profile function: the hook of calls and of their ends. */
#ifndef GNOMON_PYTHON_HOOK_H
#define GNOMON_PYTHON_HOOK_H

#include <stdbool.h>

#include "api.h"

/* `fast`: hooks write records where they can; else each passes its site. */
void gn_hook_begin(bool fast);

int gn_hook(struct gn_py *self, struct gn_py *frame, int what,
	    struct gn_py *arg);

#endif
