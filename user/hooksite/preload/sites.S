/* SPDX-License-Identifier: BSD-2-Clause */
#include <gnomon/hooksite.h>
#include <gnomon/preload.h>

	GN_SITE_BASE
	.text
	GN_SITE	gnomon_preload, preload_selected, "8@%rdi 8@%rsi"
	ret
	GN_SITE_END preload_selected

	GN_SITE	gnomon_preload, preload_own
	.rept	GN_PRELOAD_OWN_MOST - 1
	.balign	GN_SITE_ALIGN
	.byte	GN_SITE_NOPS
	.endr
	GN_SITE_END preload_own

	.section .note.GNU-stack, "", @progbits
