/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the library reads and calls of the Zend engine, in builds without
 * threads. The types are the same in all versions from 7.4 on.
 */
#ifndef GNOMON_PHP_ENGINE_H
#define GNOMON_PHP_ENGINE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* zend_string */
struct gn_php_string {
	uint64_t counted;
	uint64_t hash; /* 0: not computed yet */
	size_t len;
	char text[];
};

/* The start of zend_class_entry. */
struct gn_php_class {
	uint64_t type;
	const struct gn_php_string *name;
};

/* The start of zend_op_array. */
struct gn_php_code {
	uint64_t type;
	const struct gn_php_string *name; /* NULL: outside of functions */
	const struct gn_php_class *class; /* or NULL */
};

/* The start of zend_execute_data. */
struct gn_php_frame {
	const void *opline, *call;
	void *result;
	const struct gn_php_code *code;
	uint64_t this;
	uint32_t bits;
};

enum {
	GN_PHP_CODE = 1 << 16, /* outside of functions */
	GN_PHP_GENERATOR = 1 << 24,
};

typedef void (*gn_php_execute_fn)(struct gn_php_frame *frame);
typedef int (*gn_php_started_fn)(void);
/* so from PHP 8.1 on */
typedef void (*gn_php_error_fn)(int type, const struct gn_php_string *file,
				uint32_t line,
				const struct gn_php_string *message);

struct gn_php_engine {
	/* runs the code of a frame to its end; the engine's own one */
	gn_php_execute_fn *execute, own;
	/* where a fatal error jumps to, past all functions */
	sigjmp_buf **bailout;
	/* the file of the frame that runs */
	const struct gn_php_string *(*file)(void);
	/* from PHP 8.1 on, else NULL: what the engine calls when it changes to
	 * another fiber, and when one is gone */
	void (*on_switch)(void (*fn)(void *from, void *to));
	void (*on_destroy)(void (*fn)(void *fiber));
	/* what the engine calls when it and its extensions have started */
	gn_php_started_fn *started;
	gn_php_error_fn *on_error; /* before PHP 8.1, NULL */
};

extern struct gn_php_engine gn_php __attribute__((visibility("hidden")));

/* `library`: what has the engine; NULL: the program. False: it has none that
 * is known. */
bool gn_php_find(void *library);

/* The file of the frame that runs, and the line in which its function begins;
 * 0: not known. */
const struct gn_php_string *gn_php_place(const struct gn_php_code *code,
					 uint32_t *line);

#endif
