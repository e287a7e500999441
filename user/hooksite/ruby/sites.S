/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hook sites of the library for Ruby, and the hooks that need no trap. C
 * code calls all of them. The argument strings say where BPF finds a site's
 * arguments.
 */
#include <gnomon/hooksite.h>

#include "../fast_hook.h"

	GN_SITE_BASE
	.text

	.macro RUBY_SITE name:req, args
	GN_SITE	gnomon_ruby, \name, "\args"
	ret
	GN_SITE_END \name
	.endm

/* rdi: the function's index, rsi: the frame key. */
	RUBY_SITE ruby_enter, "8@%rdi 8@%rsi"
	RUBY_SITE ruby_leave, "8@%rdi 8@%rsi"
	RUBY_SITE ruby_resumed, "8@%rdi 8@%rsi"
	RUBY_SITE ruby_suspended, "8@%rdi 8@%rsi"
	RUBY_SITE ruby_fast, "8@%rdi 8@%rsi"
	RUBY_SITE ruby_init, "8@%rdi"
	RUBY_SITE ruby_gc_begin, ""
	RUBY_SITE ruby_gc_end, ""
	RUBY_SITE ruby_selected, "8@%rdi 8@%rsi"
	RUBY_SITE ruby_name, "8@%rdi 8@%rsi 8@%rdx 8@%rcx 8@%r8 8@%r9"

	GN_FAST_BASE
	GN_FAST_HOOK ruby_enter, GN_FAST_ENTER, %rdi, %esi, gn_mute
	GN_FAST_HOOK ruby_leave, GN_FAST_LEAVE, %rdi, %esi, gn_mute
	GN_FAST_HOOK ruby_resumed, GN_FAST_RESUMED, %rdi, %esi, gn_mute
	GN_FAST_HOOK ruby_suspended, GN_FAST_SUSPENDED, %rdi, %esi, gn_mute

	.section .note.GNU-stack, "", @progbits
