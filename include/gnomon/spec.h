/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hook specs: what a probe means, and where its program finds the values that
 * it needs. Specs are in a BPF array map; a probe's cookie holds the index of
 * its spec. So a runtime is data, and no BPF program knows a runtime by name.
 */
#ifndef GNOMON_SPEC_H
#define GNOMON_SPEC_H

#include <gnomon/types.h>
#include <gnomon/event.h>

/* The registers of x86-64. X(enumerator, value, field of struct pt_regs). */
#define GN_REG_LIST(X)  \
	X(AX, 0, ax)    \
	X(BX, 1, bx)    \
	X(CX, 2, cx)    \
	X(DX, 3, dx)    \
	X(SI, 4, si)    \
	X(DI, 5, di)    \
	X(BP, 6, bp)    \
	X(SP, 7, sp)    \
	X(R8, 8, r8)    \
	X(R9, 9, r9)    \
	X(R10, 10, r10) \
	X(R11, 11, r11) \
	X(R12, 12, r12) \
	X(R13, 13, r13) \
	X(R14, 14, r14) \
	X(R15, 15, r15) \
	X(IP, 16, ip)

enum gn_reg {
#define GN_REG_ENUM(name, value, field) GN_REG_##name = (value),
	GN_REG_LIST(GN_REG_ENUM)
#undef GN_REG_ENUM
		GN_REG_NONE = 0xff
};

enum gn_how {
	GN_HOW_NONE = 0, /* 0 */
	GN_HOW_CONSTANT, /* value */
	GN_HOW_REGISTER, /* reg */
	GN_HOW_MEMORY,	 /* at reg + (index << scale) + value */
	/* function: the index in the cookie; key: rsp plus the cookie's
	 * adjustment */
	GN_HOW_COOKIE,
};

struct gn_operand {
	__u8 how;   /* enum gn_how */
	__u8 reg;   /* enum gn_reg; MEMORY: GN_REG_NONE is 0 */
	__u8 index; /* MEMORY: enum gn_reg, GN_REG_NONE = none */
	__u8 scale;
	__s8 size; /* bytes: 1, 2, 4 or 8; negative: signed */
	__u8 pad[3];
	__s64 value;
};

/* A string in the traced process. If len.how is NONE, it ends with a NUL. */
struct gn_string {
	struct gn_operand at;
	struct gn_operand len;
};

/* Texts that name a function: name and module, or parts of which a runtime
 * makes the name (`form` says how). */
#define GN_SPEC_TEXTS 3

enum gn_spec_flag {
	/* memory of names was freed, so an address can get a new meaning */
	GN_SPEC_FORGETS = 1,
	/* the function's arguments or result are recorded too:
	 * gn_value_specs */
	GN_SPEC_VALUES = 2,
	/* of a runtime's function: the key selects its values */
	GN_SPEC_VALUED = 4,
	/* the index names the class whose method table is the key; 0: the class
	 * is gone */
	GN_SPEC_CLASS = 8,
	/* the length of each text is in the 8 bytes before it */
	GN_SPEC_SIZED = 16,
	/* the index is the size and the key the address of a struct gn_lock,
	 * or its context, which is negative */
	GN_SPEC_LOCK = 32,
};

struct gn_spec {
	__u8 kind;  /* enum gn_kind of the record; 0 = no record */
	__u8 flags; /* enum gn_spec_flag */
	__u8 form;  /* how the runtime makes a name of the texts */
	__u8 ntexts;
	__u32 values; /* index of the values in the session, from 1; 0: none */
	__u32 event;  /* EVENT: enum gn_rt */
	/*
	 * ENTER: value[0] is in the frame of the function, value[0].value bytes
	 * from its address. If it has one of these bits, the function goes on
	 * (RESUMED); if it has one of `unnamed`, the first text is none.
	 */
	__u32 resumes;
	__u32 unnamed;
	/* Where the frame has the address of what is known of the function. Of
	 * that, the line is behind the address of the last text's header, which
	 * has that many bytes. 0: the line is not looked for. */
	__u16 function;
	__u16 header;
	/* the function's index; SIZED: the address of texts that are none */
	struct gn_operand func;
	struct gn_operand key; /* the frame key */
	struct gn_string text[GN_SPEC_TEXTS];
	/* EVENT: its values; CODE: the first is the code's size; functions that
	 * texts name: the second tells those with the same texts apart, and is
	 * their line if that is not found */
	struct gn_operand value[GN_RT_VALUES];
};

/* Values to record for a function: arguments at its enter, the result at its
 * leave; those of a USDT probe at its hit. They are in a map of their own, by
 * the index of the spec. */
#define GN_VALUES_MAX 7

struct gn_value_spec {
	struct gn_operand at; /* the value, or its place (GN_PLACE_*) */
	__u8 which;	      /* as in gn_rec_value */
	__u8 type;	      /* enum gn_value_type, 0: no value */
	__u8 flags;	      /* of its records */
	__s8 there; /* if not 0, `at` is the value's place, of this size */
	__u8 own;   /* the type comes from the place, if that has one */
	__u8 pad[3];
};

struct gn_value_specs {
	struct gn_value_spec value[GN_VALUES_MAX];
};

/* The maximum number of specs; the first ones are of native functions, by the
 * cookie. */
#define GN_SPECS_MAX 1024

/* Numbers from here on are of values of a runtime's functions. Each selected
 * value has one number for each way in which hooks report values. */
enum gn_valued_how {
	GN_VALUED_PLAIN,     /* arguments are in registers */
	GN_VALUED_OF_OBJECT, /* the same, and the object is in the first one */
	GN_VALUED_PLACES,    /* hooks in the IL get their places */
	GN_VALUED_HOW_COUNT
};
#define GN_VALUED(asked, how) \
	(GN_SPECS_MAX + GN_VALUED_HOW_COUNT * (asked) + (how))
#define GN_VALUED_MAX (GN_SPECS_MAX * 3)

/* How gnomon tells a runtime's library which values to record: one character
 * each, counted by `which` from these on. They are for floating point values,
 * for objects whose class is recorded, for values recorded by their own type,
 * and for all others. THIS is a single character. */
#define GN_ASKED_WORD  '0'
#define GN_ASKED_FLOAT 'A'
#define GN_ASKED_OWN   'K'
#define GN_ASKED_CLASS 'a'
#define GN_ASKED_THIS  'z'

/* Where a value is. The low bits are its address; 0: the function has no such
 * value. Then come the bytes that it has there; 0: as many as the session asks
 * for. OPEN: the size was taken from the type at run time, so it can be any,
 * and the sign is not known. Without OPEN it has at most 8 bytes, and its own
 * type (enum gn_value_type) or 0. */
#define GN_PLACE_SIZE(bytes)	((__u64)(bytes) << GN_PLACE_SIZE_SHIFT)
#define GN_PLACE_SIZE_SHIFT	48
#define GN_PLACE_TYPE(type)	((__u64)(type) << GN_PLACE_TYPE_SHIFT)
#define GN_PLACE_TYPE_SHIFT	56
#define GN_PLACE_OWN(place)	((__u32)((place) >> GN_PLACE_TYPE_SHIFT) & 0x3f)
#define GN_PLACE_SIGNED		(1ull << 62)
#define GN_PLACE_OPEN		(1ull << 63)
#define GN_PLACE_ADDRESS(place) ((place) & ((1ull << GN_PLACE_SIZE_SHIFT) - 1))
#define GN_PLACE_BYTES(place)                      \
	((__u32)((place) >> GN_PLACE_SIZE_SHIFT) & \
	 ((place)&GN_PLACE_OPEN ? 0x3fff : 0xff))

enum gn_native_spec {
	GN_SPEC_NONE = 0,
	GN_SPEC_ENTER,
	GN_SPEC_LEAVE,
	GN_SPEC_TAILCALL,
	GN_SPEC_HIT, /* of a USDT probe; its key is the stack pointer */
	GN_SPEC_LANDED,
	GN_SPEC_NATIVE_COUNT
};

_Static_assert(sizeof(struct gn_operand) == 16, "operand");
_Static_assert(sizeof(struct gn_spec) == 184, "spec");
_Static_assert(sizeof(struct gn_value_spec) == 24, "value");

#endif
