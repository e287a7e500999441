/* SPDX-License-Identifier: BSD-2-Clause */
/* Element types in signatures (ECMA-335, II.23.1.16). */
#ifndef GNOMON_CLR_ELEMENTS_H
#define GNOMON_CLR_ELEMENTS_H

enum {
	EL_VOID = 0x01,
	EL_BOOLEAN = 0x02,
	EL_I4 = 0x08,
	EL_U4 = 0x09,
	EL_I8 = 0x0a,
	EL_U8 = 0x0b,
	EL_R4 = 0x0c,
	EL_R8 = 0x0d,
	EL_STRING = 0x0e,
	EL_PTR = 0x0f,
	EL_BYREF = 0x10,
	EL_VALUETYPE = 0x11,
	EL_CLASS = 0x12,
	EL_VAR = 0x13,
	EL_ARRAY = 0x14,
	EL_GENERICINST = 0x15,
	EL_TYPEDREF = 0x16,
	EL_I = 0x18,
	EL_U = 0x19,
	EL_FNPTR = 0x1b,
	EL_OBJECT = 0x1c,
	EL_SZARRAY = 0x1d,
	EL_MVAR = 0x1e,
	EL_CMOD_REQD = 0x1f,
	EL_CMOD_OPT = 0x20,
	EL_SENTINEL = 0x41,
	EL_PINNED = 0x45,
};

#endif
