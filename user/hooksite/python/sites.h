/* SPDX-License-Identifier: BSD-2-Clause */
/* The hook sites and the fast hooks of sites.S, as C functions. */
#ifndef GNOMON_PYTHON_SITES_H
#define GNOMON_PYTHON_SITES_H

#include <stdint.h>

#define GN_PYTHON_SITE(name) gn_site_python_##name
#define GN_PYTHON_HOOK(name) gn_fast_python_##name

/* A function is called or ends; a generator or a coroutine goes on, or is
 * suspended with all frames below the key. */
void GN_PYTHON_SITE(enter)(uint64_t index, uint64_t key);
void GN_PYTHON_SITE(leave)(uint64_t index, uint64_t key);
void GN_PYTHON_SITE(resumed)(uint64_t index, uint64_t key);
void GN_PYTHON_SITE(suspended)(uint64_t index, uint64_t key);

/* For fast hooks: `what` is GN_FAST_OFFER and so on. */
void GN_PYTHON_SITE(fast)(uint64_t what, uint64_t value);

/* The main script is about to run, with hooks; `result` is 0. */
void GN_PYTHON_SITE(init)(int64_t result);

/* A count about the functions of the session (gnomon/selected.h). */
void GN_PYTHON_SITE(selected)(uint64_t what, uint64_t n);

/* The name of a function, once, before its first enter. */
void GN_PYTHON_SITE(name)(uint64_t index, const char *name, uint64_t name_len,
			  const char *module, uint64_t module_len,
			  uint64_t line);

void GN_PYTHON_HOOK(enter)(uint64_t index, uint64_t key);
void GN_PYTHON_HOOK(leave)(uint64_t index, uint64_t key);
void GN_PYTHON_HOOK(resumed)(uint64_t index, uint64_t key);
void GN_PYTHON_HOOK(suspended)(uint64_t index, uint64_t key);

#endif
