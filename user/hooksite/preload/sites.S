/* SPDX-License-Identifier: BSD-2-Clause */
#include <gnomon/hooksite.h>

	GN_SITE_BASE
	.text
	GN_SITE	gnomon_preload, preload_selected, "8@%rdi 8@%rsi"
	ret
	GN_SITE_END preload_selected

	GN_SITES_OWN gnomon_preload, preload_lives

	.section .note.GNU-stack, "", @progbits
