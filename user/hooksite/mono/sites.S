/* SPDX-License-Identifier: BSD-2-Clause */
#include "../call_sites.h"

	GN_CALL_SITES gnomon_mono
	GN_CALL_SITE gnomon_mono, tailcall, "8@%rdi 8@%rsi"
	GN_CALL_SITE gnomon_mono, unwound, "8@%rdi 8@%rsi"
	GN_CALL_SITE gnomon_mono, jit_begin, "8@%rdi 8@%rsi"
	GN_CALL_SITE gnomon_mono, jit_end, "8@%rdi 8@%rsi"
	GN_CALL_SITE gnomon_mono, code, "8@%rdi 8@%rsi 8@%rdx"
	GN_CALL_SITE gnomon_mono, gc_begin, "8@%rdi"
	GN_CALL_SITE gnomon_mono, gc_end, ""
	GN_CALL_SITE gnomon_mono, suspend_begin, "8@%rdi"
	GN_CALL_SITE gnomon_mono, suspend_end, ""
	GN_CALL_SITE gnomon_mono, all_stopped, ""
	GN_CALL_SITE gnomon_mono, resume_begin, ""
	GN_CALL_SITE gnomon_mono, unhooked, "8@%rdi"

/* Events of families: the index of a name, and the other arguments. */
	GN_CALL_SITE gnomon_mono, throw, "8@%rdi"
	GN_CALL_SITE gnomon_mono, thrown_in, "8@%rdi"
	GN_CALL_SITE gnomon_mono, module_load_begin, ""
	GN_CALL_SITE gnomon_mono, module_load_end, "8@%rdi -4@%esi"
	GN_CALL_SITE gnomon_mono, thread_create, "8@%rdi"
	GN_CALL_SITE gnomon_mono, thread_bind, "8@%rdi 8@%rsi"
	GN_CALL_SITE gnomon_mono, thread_destroy, "8@%rdi"
	GN_CALL_SITE gnomon_mono, thread_name, "8@%rdi 8@%rsi"
	GN_CALL_SITE gnomon_mono, shutdown, ""

	GN_FAST_HOOK tailcall, GN_FAST_TAILCALL, %rdi, %esi, gn_mute
	GN_FAST_HOOK unwound, GN_FAST_UNWOUND, %rdi, %esi, gn_mute
