/* SPDX-License-Identifier: BSD-2-Clause */
/* The hook sites and the fast hooks of sites.S, as C functions. */
#ifndef GNOMON_RUBY_SITES_H
#define GNOMON_RUBY_SITES_H

#include <stdint.h>

#define GN_RUBY_SITE(name) gn_site_ruby_##name
#define GN_RUBY_HOOK(name) gn_fast_ruby_##name

/* A function is called or ends; a call of a fiber goes on, or is suspended with
 * all frames below the key. */
void GN_RUBY_SITE(enter)(uint64_t index, uint64_t key);
void GN_RUBY_SITE(leave)(uint64_t index, uint64_t key);
void GN_RUBY_SITE(resumed)(uint64_t index, uint64_t key);
void GN_RUBY_SITE(suspended)(uint64_t index, uint64_t key);

/* For fast hooks: `what` is GN_FAST_OFFER and so on. */
void GN_RUBY_SITE(fast)(uint64_t what, uint64_t value);

/* The program is about to run; 0, or negative: without hooks. */
void GN_RUBY_SITE(init)(int64_t result);

/* The collector works on this thread. */
void GN_RUBY_SITE(gc_begin)(void);
void GN_RUBY_SITE(gc_end)(void);

/* A count about the functions of the session (gnomon/selected.h). */
void GN_RUBY_SITE(selected)(uint64_t what, uint64_t n);

/* The name of a function, once, before its first enter. */
void GN_RUBY_SITE(name)(uint64_t index, const char *name, uint64_t name_len,
			const char *module, uint64_t module_len, uint64_t line);

void GN_RUBY_HOOK(enter)(uint64_t index, uint64_t key);
void GN_RUBY_HOOK(leave)(uint64_t index, uint64_t key);
void GN_RUBY_HOOK(resumed)(uint64_t index, uint64_t key);
void GN_RUBY_HOOK(suspended)(uint64_t index, uint64_t key);

#endif
