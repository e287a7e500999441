/* SPDX-License-Identifier: BSD-2-Clause */
/* The hook sites and the fast hooks that sites.S adds to call_sites.h, as C
 * functions. */
#ifndef GNOMON_MONO_SITES_H
#define GNOMON_MONO_SITES_H

#include <stdint.h>

#include "../call_sites.h"

/* A function ends by a jump to another one, or by an exception; the key is not
 * used then. */
void gn_site_tailcall(uint64_t index, uint64_t key);
void gn_site_unwound(uint64_t index, uint64_t key);

void gn_fast_tailcall(uint64_t index, uint64_t key);
void gn_fast_unwound(uint64_t index, uint64_t key);

/* `frame`: an address on the stack, below all managed frames. */
void gn_site_jit_begin(uint64_t index, uint64_t frame);
/* `size`: of the code in bytes; GN_JIT_GONE: the compilation failed. */
void gn_site_jit_end(uint64_t index, uint64_t size);

/* Where the code of a method is. */
void gn_site_code(uint64_t index, uint64_t start, uint64_t size);

void gn_site_gc_begin(uint64_t key); /* see GN_GC_KEY */
void gn_site_gc_end(void);

/* This thread suspends all others, for a collection. */
void gn_site_suspend_begin(uint64_t reason);
void gn_site_suspend_end(void);
void gn_site_all_stopped(void);
void gn_site_resume_begin(void);

/* Events of families, by the index of what has the name; 0: it has none. */
void gn_site_throw(uint64_t index);
void gn_site_thrown_in(uint64_t index);
void gn_site_module_load_begin(void);
void gn_site_module_load_end(uint64_t index, int64_t status);
void gn_site_thread_create(uint64_t thread);
void gn_site_thread_bind(uint64_t thread, uint64_t tid);
void gn_site_thread_destroy(uint64_t thread);
void gn_site_thread_name(uint64_t index, uint64_t thread);
void gn_site_shutdown(void);

/* A requested function has code without hooks: its calls cannot be seen. */
void gn_site_unhooked(uint64_t index);

#endif
