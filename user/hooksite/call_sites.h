/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hook sites that the libraries of interpreters have in common, and the
 * hooks that need no trap. C code calls all of them. An assembly file has
 * GN_CALL_SITES once, and GN_CALL_SITE for each site that it adds.
 */
#ifndef GNOMON_HOOKSITE_CALL_SITES_H
#define GNOMON_HOOKSITE_CALL_SITES_H

#include <gnomon/hooksite.h>

#ifdef __ASSEMBLER__
#include "fast_hook.h"
/* clang-format off */

/* `args` says where BPF finds the site's arguments. */
	.macro GN_CALL_SITE provider:req, name:req, args
	GN_SITE	\provider, \name, "\args"
	ret
	GN_SITE_END \name
	.endm

/* rdi: the function's index, rsi: the frame key. */
	.macro GN_CALL_SITES provider:req
	GN_SITE_BASE
	.text
	GN_CALL_SITE \provider, call_enter, "8@%rdi 8@%rsi"
	GN_CALL_SITE \provider, call_leave, "8@%rdi 8@%rsi"
	GN_CALL_SITE \provider, call_resumed, "8@%rdi 8@%rsi"
	GN_CALL_SITE \provider, call_suspended, "8@%rdi 8@%rsi"
	GN_CALL_SITE \provider, call_fast, "8@%rdi 8@%rsi"
	GN_CALL_SITE \provider, call_init, "8@%rdi"
	GN_CALL_SITE \provider, call_lock, "8@%rdi 8@%rsi"
	GN_CALL_SITE \provider, call_selected, "8@%rdi 8@%rsi"
	GN_CALL_SITE \provider, call_name, "8@%rdi 8@%rsi 8@%rdx 8@%rcx 8@%r8 8@%r9"

	GN_FAST_BASE
	GN_FAST_HOOK call_enter, GN_FAST_ENTER, %rdi, %esi, gn_mute
	GN_FAST_HOOK call_leave, GN_FAST_LEAVE, %rdi, %esi, gn_mute
	GN_FAST_HOOK call_resumed, GN_FAST_RESUMED, %rdi, %esi, gn_mute
	GN_FAST_HOOK call_suspended, GN_FAST_SUSPENDED, %rdi, %esi, gn_mute

	.section .note.GNU-stack, "", @progbits
	.text
	.endm

#else
#include <stdint.h>

/* A function is called or ends; a call (of a generator, a coroutine, a fiber)
 * goes on, or is suspended with all frames below the key. */
void gn_site_call_enter(uint64_t index, uint64_t key);
void gn_site_call_leave(uint64_t index, uint64_t key);
void gn_site_call_resumed(uint64_t index, uint64_t key);
void gn_site_call_suspended(uint64_t index, uint64_t key);

void gn_fast_call_enter(uint64_t index, uint64_t key);
void gn_fast_call_leave(uint64_t index, uint64_t key);
void gn_fast_call_resumed(uint64_t index, uint64_t key);
void gn_fast_call_suspended(uint64_t index, uint64_t key);

/* For fast hooks: `what` is GN_FAST_OFFER and so on. */
void gn_site_call_fast(uint64_t what, uint64_t value);

/* The program is about to run, with hooks; `result` is 0. */
void gn_site_call_init(int64_t result);

/* Where the interpreter's lock is (gnomon/lock.h). Call it in the thread that
 * starts all others. */
void gn_site_call_lock(uint64_t size, uint64_t at);

/* A count about the functions of the session (gnomon/selected.h). */
void gn_site_call_selected(uint64_t what, uint64_t n);

/* The name of a function, once, before its first enter. The texts stay in
 * memory. */
void gn_site_call_name(uint64_t index, const char *name, uint64_t name_len,
		       const char *module, uint64_t module_len, uint64_t line);

#endif
#endif
