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
/* Those that are added: the class, the type, then a name, a NameAndType and a
 * Methodref for each hook, Throwable, the name of a StackMapTable. */
#define JC_ENTER       (JC_COUNT + 5)
#define JC_LEAVE       (JC_COUNT + 8)
#define JC_UNWOUND     (JC_COUNT + 11)
#define JC_THROWABLE   (JC_COUNT + 13)
#define JC_ADDED_TABLE (JC_COUNT + 14)
#define JC_FIRST_FREE  (JC_COUNT + 15)

/* Calls of the hooks with index 7, which take five bytes. */
#define JC_CALL_ENTER	16, 7, 184, 0, JC_ENTER
#define JC_CALL_LEAVE	16, 7, 184, 0, JC_LEAVE
#define JC_CALL_UNWOUND 16, 7, 184, 0, JC_UNWOUND

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
	struct jc_part pool, code, handlers, attributes;
	uint16_t nattributes;
};

/* The content of the n-th attribute of the code. */
struct jc_part jc_attribute(const struct jc_read *r, int n, uint16_t *name);

/* A rewriting. */
struct jc_test {
	uint32_t index;	 /* of the method */
	int refused;	 /* enum gn_java_refusal; 0: it was not */
	int blocks, max; /* of memory; 0: as many as are needed */
	void *block[64];
	uint8_t *out;
	size_t out_len;
	struct jc_read read; /* the output */
};

/* Rewrites a class file. Returns what gn_java_rewrite() does. The caller calls
 * jc_drop(). */
int jc_rewrite_bytes(struct jc_test *t, const uint8_t *at, size_t n);
/* The same with what jc_make() makes; reads the output if there is one. */
int jc_rewrite(struct jc_test *t, const struct jc_method *m);
void jc_drop(struct jc_test *t);

/* The parts have the same bytes. */
void jc_check(struct jc_part is, struct jc_part should);

#endif
