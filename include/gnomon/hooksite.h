/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hook sites for assembly files (GNU as through the C preprocessor, x86-64).
 *
 * A site is a function of its own. It starts with a one-byte nop and then a
 * five-byte nop, aligned to 16 so that neither crosses a page. Every kernel
 * emulates a probe on the first; a kernel that can turns a probe on the second
 * into a call. gnomon attaches to the one that its calibration finds cheaper.
 * A site is found by
 *   - a note of the stapsdt format (it survives strip): its address is that
 *     of the one-byte nop, its arguments are the same at both nops;
 *   - the hidden symbol gn_site_NAME in .symtab: the same address.
 * The five-byte nop is GN_SITE_NOP5 bytes further on.
 */
#ifndef GNOMON_HOOKSITE_H
#define GNOMON_HOOKSITE_H

#define GN_SITE_NOP5 1
/* The bytes of a site without probes. */
#define GN_SITE_NOPS 0x90, 0x0f, 0x1f, 0x44, 0x00, 0x00

/* The first two, as a number. */
#define GN_SITE_BARE  0x0f90
#define GN_SITE_ALIGN 16

/* The number of sites in a row of which each gnomon has its own. Nothing calls
 * them: a probe at one says that this gnomon lives, when other gnomons have
 * probes at all other sites. */
#define GN_SITE_OWN_MOST 1024

#ifdef __ASSEMBLER__
/* clang-format off */

/* The note of the site at label \pc. */
	.macro GN_SITE_NOTE pc:req, provider:req, name:req, args
	.pushsection .note.stapsdt, "", @note
	.balign	4
	.4byte	.Lgn_owner_end_\@ - .Lgn_owner_\@
	.4byte	.Lgn_desc_end_\@ - .Lgn_desc_\@
	.4byte	3
.Lgn_owner_\@:
	.asciz	"stapsdt"
.Lgn_owner_end_\@:
	.balign	4
.Lgn_desc_\@:
	.8byte	\pc
	.8byte	_.stapsdt.base
	.8byte	0
	.asciz	"\provider"
	.asciz	"\name"
	.asciz	"\args"
.Lgn_desc_end_\@:
	.balign	4
	.popsection
	.endm

/* What the notes' addresses are relative to after a prelink: once a file. */
	.macro GN_SITE_BASE
	.pushsection .stapsdt.base, "aG", @progbits, .stapsdt.base, comdat
	.weak	_.stapsdt.base
	.hidden	_.stapsdt.base
_.stapsdt.base:
	.space	1
	.size	_.stapsdt.base, 1
	.popsection
	.endm

/* Opens site \name; instructions follow, then GN_SITE_END \name. At the nops
 * all registers are the caller's. */
	.macro GN_SITE provider:req, name:req, args
	.globl	gn_site_\name
	.hidden	gn_site_\name
	.type	gn_site_\name, @function
	.balign	GN_SITE_ALIGN
gn_site_\name:
	.cfi_startproc
	.byte	GN_SITE_NOPS
	GN_SITE_NOTE gn_site_\name, \provider, \name, "\args"
	.endm

	.macro GN_SITE_END name:req
	.cfi_endproc
	.size	gn_site_\name, . - gn_site_\name
	.endm

/* The sites of which each gnomon has its own. */
	.macro GN_SITES_OWN provider:req, name:req
	GN_SITE	\provider, \name
	.rept	GN_SITE_OWN_MOST - 1
	.balign	GN_SITE_ALIGN
	.byte	GN_SITE_NOPS
	.endr
	GN_SITE_END \name
	.endm

#else

#include <stdint.h>

/* Number `n` of such sites, of which `first` is the first. */
static inline const void *gn_site_own(void (*first)(void), unsigned long n)
{
	return (const void *)((uintptr_t)first + n * GN_SITE_ALIGN);
}

#endif
#endif
