// SPDX-License-Identifier: BSD-2-Clause
/*
 * Demangles names. libiberty prints into a callback. A short hostile name can
 * print for ever (each substitution doubles the previous one), so at the limit
 * the callback leaves by longjmp. libiberty keeps the state of these functions
 * on the stack, so at most the name of one identifier leaks.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "elf/elf_internal.h"

struct text {
	char *buf; /* room for limit + 1 bytes */
	size_t len, limit;
	jmp_buf full;
};

static void take(const char *s, size_t n, void *opaque)
{
	struct text *t = opaque;

	if (n > t->limit - t->len)
		longjmp(t->full, 1);
	memcpy(t->buf + t->len, s, n);
	t->len += n;
}

static bool looks_mangled(const char *name)
{
	return !strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2);
}

static int print_name(const char *name, struct text *t)
{
	const int opts = DMGL_PARAMS | DMGL_ANSI;

	if (setjmp(t->full))
		return 0;
	/* Rust first: its legacy names look like C++ names with a hash at the
	 * end */
	if (rust_demangle_callback(name, opts, take, t))
		return 1;
	t->len = 0;
	return cplus_demangle_v3_callback(name, opts, take, t);
}

int gn_demangle(const char *name, size_t limit, char **out)
{
	struct text t = {.limit = limit};
	char *shrunk;

	*out = NULL;
	if (!looks_mangled(name) || limit == SIZE_MAX)
		return 0;
	t.buf = malloc(limit + 1);
	if (!t.buf)
		return -ENOMEM;
	if (!print_name(name, &t) || !t.len) {
		free(t.buf);
		return 0;
	}
	t.buf[t.len] = '\0';
	shrunk = realloc(t.buf, t.len + 1);
	*out = shrunk ? shrunk : t.buf;
	return 0;
}
