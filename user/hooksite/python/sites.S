/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hook sites of the library for CPython, and the hooks that need no trap.
 * C code calls all of them. The argument strings say where BPF finds a site's
 * arguments.
 */
#include <gnomon/hooksite.h>

#include "../fast_hook.h"

	GN_SITE_BASE
	.text

	.macro PYTHON_SITE name:req, args
	GN_SITE	gnomon_python, \name, "\args"
	ret
	GN_SITE_END \name
	.endm

/* rdi: the function's index, rsi: the frame key. */
	PYTHON_SITE python_enter, "8@%rdi 8@%rsi"
	PYTHON_SITE python_leave, "8@%rdi 8@%rsi"
	PYTHON_SITE python_resumed, "8@%rdi 8@%rsi"
	PYTHON_SITE python_suspended, "8@%rdi 8@%rsi"
	PYTHON_SITE python_fast, "8@%rdi 8@%rsi"
	PYTHON_SITE python_init, "8@%rdi"
	PYTHON_SITE python_selected, "8@%rdi 8@%rsi"
	PYTHON_SITE python_name, "8@%rdi 8@%rsi 8@%rdx 8@%rcx 8@%r8 8@%r9"

	GN_FAST_BASE
	GN_FAST_HOOK python_enter, GN_FAST_ENTER, %rdi, %esi, gn_mute
	GN_FAST_HOOK python_leave, GN_FAST_LEAVE, %rdi, %esi, gn_mute
	GN_FAST_HOOK python_resumed, GN_FAST_RESUMED, %rdi, %esi, gn_mute
	GN_FAST_HOOK python_suspended, GN_FAST_SUSPENDED, %rdi, %esi, gn_mute

	.section .note.GNU-stack, "", @progbits
