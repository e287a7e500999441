/* SPDX-License-Identifier: BSD-2-Clause */
/* The structure of a class file (JVMS 4.1): where its constants, its methods
 * and their code are. */
#ifndef GNOMON_JAVA_CLASSFILE_H
#define GNOMON_JAVA_CLASSFILE_H

#include "bytes.h"

enum gn_java_tag {
	GN_JAVA_UTF8 = 1,
	GN_JAVA_INTEGER = 3,
	GN_JAVA_LONG = 5,
	GN_JAVA_DOUBLE = 6,
	GN_JAVA_CLASS = 7,
	GN_JAVA_FIELDREF = 9,
	GN_JAVA_METHODREF = 10,
	GN_JAVA_INTERFACE_METHODREF = 11,
	GN_JAVA_NAME_AND_TYPE = 12,
	GN_JAVA_DYNAMIC = 17,
	GN_JAVA_INVOKE_DYNAMIC = 18,
};

#define GN_JAVA_ACC_STATIC 0x8

/* Part of the class file; at NULL: there is none. */
struct gn_java_text {
	const char *at;
	uint16_t n;
};

struct gn_java_member {
	uint32_t begin, end; /* in the file */
	uint32_t code;	     /* its Code attribute, from its name; 0: none */
	uint32_t code_end;
	uint16_t access;
	struct gn_java_text name, descriptor;
};

struct gn_java_class {
	const uint8_t *at;
	size_t len;
	uint16_t major;
	bool ancient;	    /* before 45.3: Code attributes are shorter */
	uint32_t *constant; /* of each constant, where its tag is; 0: none */
	uint16_t nconstants;
	uint32_t pool_end;
	struct gn_java_text name;
	struct gn_java_member *method;
	uint16_t nmethods;
	uint32_t methods_begin, methods_end; /* without their number */
};

/* The Code attribute (JVMS 4.7.3). Tables were not looked into. */
struct gn_java_code {
	uint16_t max_stack, max_locals;
	const uint8_t *code;
	uint32_t len;
	const uint8_t *handler; /* eight bytes each */
	uint16_t nhandlers;
	uint16_t nattributes;
	struct gn_java_in attributes;
};

/* Reads the structure. Returns 0, -EBADMSG or -ENOMEM. */
int gn_java_class_read(struct gn_java_class *c, const uint8_t *bytes,
		       size_t len, gn_java_alloc_fn alloc, void *ctx);

/* What follows the tag of a constant, if it has this tag. Otherwise NULL. */
const uint8_t *gn_java_constant(const struct gn_java_class *c, uint16_t index,
				enum gn_java_tag tag);
struct gn_java_text gn_java_utf8(const struct gn_java_class *c, uint16_t index);
bool gn_java_is(struct gn_java_text text, const char *name);

/* Reads a method's Code attribute. False: it is malformed. */
bool gn_java_code_read(const struct gn_java_class *c,
		       const struct gn_java_member *m,
		       struct gn_java_code *code);

#endif
