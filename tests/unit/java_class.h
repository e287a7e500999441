/* SPDX-License-Identifier: BSD-2-Clause */
/* Class files with one method, made by hand, and what the rewriter makes of
 * them. */
#ifndef GNOMON_TESTS_JAVA_CLASS_H
#define GNOMON_TESTS_JAVA_CLASS_H

#include <stddef.h>
#include <stdint.h>

#include "hooksite/java/rewrite.h"

/* Constants of the class */
enum {
	JC_THIS = 2,		 /* Class: A */
	JC_OBJECT = 4,		 /* Class: java/lang/Object */
	JC_INIT = 11,		 /* Methodref: Object.<init>()V */
	JC_STACK_MAP_TABLE = 12, /* names of attributes */
	JC_LINES = 13,
	JC_VARIABLES = 14,
	JC_ANNOTATIONS = 15,
	JC_OTHER = 16,
	JC_FIELD = 19, /* Fieldref: Object.J:J */
	JC_COUNT = 20,
};
/* Those that the rewriter adds, in its order, are not the class's own: their
 * numbers are read from the output. */

struct jc_part {
	const uint8_t *at;
	size_t n;
};

#define JC(...)                                           \
	((struct jc_part){(const uint8_t[]){__VA_ARGS__}, \
			  sizeof((const uint8_t[]){__VA_ARGS__})})

struct jc_method {
	const char *name, *type;
	uint16_t access, major; /* 0: 61 */
	uint16_t stack, locals;
	struct jc_part code, handlers, attributes;
	uint16_t nattributes;
};

struct jc_class {
	uint8_t *at;
	size_t n;
};

/* The class file. The caller frees it. */
struct jc_class jc_make(const struct jc_method *m);

/* What is in a class file with one method. Parts are of the class file. */
struct jc_read {
	uint16_t constants, stack, locals;
	struct jc_part code, handlers, attributes;
	uint16_t nattributes;
};

/* Reads one that was rewritten, whose constants are those of jc_make() and
 * others. Fails the test if it is malformed. */
void jc_read(const uint8_t *at, size_t n, struct jc_read *r);

/* The content of the n-th attribute of the code. */
struct jc_part jc_attribute(const struct jc_read *r, int n, uint16_t *name);

#endif
