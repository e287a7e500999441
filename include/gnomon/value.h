/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Types of the arguments and results of functions that are recorded. */
#ifndef GNOMON_VALUE_H
#define GNOMON_VALUE_H

/* Types of values. X(enumerator, value, text, size). A negative size: a signed
 * number, which must be extended; one of 8 bytes needs no extension. Trace
 * files store the values: append only. */
#define GN_VALUE_LIST(X)                           \
	X(I8, 1, "i8", -1)                         \
	X(I16, 2, "i16", -2)                       \
	X(I32, 3, "i32", -4)                       \
	X(I64, 4, "i64", 8)                        \
	X(U8, 5, "u8", 1)                          \
	X(U16, 6, "u16", 2)                        \
	X(U32, 7, "u32", 4)                        \
	X(U64, 8, "u64", 8)                        \
	X(PTR, 9, "ptr", 8)                        \
	X(BOOL, 10, "bool", 1)                     \
	/* a pointer to a NUL-terminated string */ \
	X(STR, 11, "str", 8)                       \
	/* .NET: the bytes are UTF-16 */           \
	X(NETSTR, 12, "str", 8)                    \
	/* the number holds their bits */          \
	X(F32, 13, "f32", 4)                       \
	X(F64, 14, "f64", 8)                       \
	/* .NET: the class of an object */         \
	X(CLASS, 15, "class", 8)                   \
	/* .NET: fields are not recorded */        \
	X(STRUCT, 16, "struct", 0)

enum gn_value_type {
#define GN_VALUE_ENUM(name, value, text, size) GN_VALUE_##name = (value),
	GN_VALUE_LIST(GN_VALUE_ENUM)
#undef GN_VALUE_ENUM
		GN_VALUE_TYPE_COUNT
};

#define GN_VALUE_IS_FLOAT(type) \
	((type) == GN_VALUE_F32 || (type) == GN_VALUE_F64)

/* The object that a method is called for. */
#define GN_VALUE_THIS 255

#define GN_VALUE_TEXT 64 /* bytes of a text that are recorded */

#endif
