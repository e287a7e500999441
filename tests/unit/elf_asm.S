/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols of every kind for test_elf_symbols.c. */
	.intel_syntax noprefix
	.section .note.GNU-stack, "", @progbits
	.text

	.macro FUNC name
	.p2align 4
	.type \name, @function
\name:
	.cfi_startproc
	ret
	.cfi_endproc
	.endm

	.globl sized, aliased, _underscored, imports
	FUNC sized
	ud2
	.size sized, . - sized

	/* no size: up to the next symbol, 16 bytes */
	FUNC sizeless

	/* no size: up to a label that others can call, 5 bytes; not to one that
	 * is the function's own */
	FUNC until_label
	nop
inner_label:
	.skip	3, 0x90
	.globl	global_label
global_label:
	ret

	/* no size: up to code that the unwinder knows, 6 bytes */
	FUNC until_start
	.skip	5, 0x90
	.cfi_startproc
	ret
	.cfi_endproc

	/* four names of one address */
	.p2align 4
	.type aliased, @function
	.type _underscored, @function
	.type weak_alias, @function
	.type local_alias, @function
	.weak weak_alias
local_alias:
weak_alias:
_underscored:
aliased:
	ret
	nop
	nop
	.size aliased, . - aliased
	.size _underscored, . - aliased

	/* C++, Rust as it was, Rust as it is */
	.globl _ZN3sun4dial4castEi
	FUNC _ZN3sun4dial4castEi
	.size _ZN3sun4dial4castEi, 1
	.globl _ZN3sun4dial17h05af221e174051e9E
	FUNC _ZN3sun4dial17h05af221e174051e9E
	.size _ZN3sun4dial17h05af221e174051e9E, 1
	.globl _RNvC3sun4dial
	FUNC _RNvC3sun4dial
	.size _RNvC3sun4dial, 1
	/* begins like one and is none */
	FUNC _Znonsense
	.size _Znonsense, 1

	FUNC split.cold
	.size split.cold, 1
	FUNC split.cold.7
	.size split.cold.7, 1
	FUNC split.part.0
	.size split.part.0, 1
	FUNC split.isra.0.constprop.1
	.size split.isra.0.constprop.1, 1

	.globl resolver
	.p2align 4
	.type resolver, @gnu_indirect_function
resolver:
	lea	rax, local_alias[rip]
	ret
	.size resolver, . - resolver

	/* two versions of one name */
	.globl versioned_old, versioned_new
	FUNC versioned_old
	.size versioned_old, 1
	FUNC versioned_new
	.size versioned_new, 1
	.symver versioned_old, versioned@GN_1, remove
	.symver versioned_new, versioned@@GN_2, remove

	.p2align 4
	.type imports, @function
imports:
	call	elsewhere@PLT
	ret
	.size imports, . - imports

	/* not functions */
	.globl label_only, datum
label_only:
	nop
	.data
	.type datum, @object
datum:	.quad 0
	.size datum, 8

	/* the last of its section, without a size: 3 bytes */
	.section .text.last, "ax", @progbits
	.type last_one, @function
last_one:
	ret
	nop
	nop
