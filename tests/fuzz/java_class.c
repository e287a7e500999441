/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks that the hook-site library puts into class files of Java inside the
 * traced program. An input is an index, the number of allocations after which
 * there is no more memory (0: there always is), and the class file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "hooksite/java/rewrite.h"

/* What is got for one rewriting, which is freed together. */
struct memory {
	struct memory *next;
	max_align_t bytes[];
};

struct run {
	uint32_t index;
	unsigned int methods; /* that were asked for */
	unsigned int selected, refused;
	bool again;	    /* what is rewritten was made by the rewriter */
	uint8_t left[8192]; /* of each method: it was refused before */
	unsigned int allocations, fail;
	size_t size;
	struct memory *memory;
};

static void *get(void *ctx, size_t size)
{
	struct run *r = ctx;
	struct memory *m;

	if (r->fail && ++r->allocations >= r->fail)
		return NULL;
	m = malloc(sizeof(*m) + size);
	must(m, "there is memory");
	m->next = r->memory;
	r->memory = m;
	r->size += size;
	return m->bytes;
}

static void drop(struct run *r)
{
	while (r->memory) {
		struct memory *m = r->memory;

		r->memory = m->next;
		free(m);
	}
}

static void see(const char *text, uint16_t n)
{
	/* a sanitizer sees the last byte if it is not of the file */
	must(!n || text[n - 1] + 1 != text[0] - 1000, "names can be read");
}

/* All methods are selected, and those that were not refused again. The number
 * of a method is in its index. */
static uint32_t choose(void *ctx, const struct gn_java_method *m)
{
	struct run *r = ctx;
	unsigned int n = r->methods++;

	see(m->class, m->class_len);
	see(m->name, m->name_len);
	see(m->descriptor, m->descriptor_len);
	if (n >= sizeof(r->left) || (r->again && r->left[n]))
		return UINT32_MAX;
	r->selected++;
	return r->index + n;
}

static void refused(void *ctx, uint32_t index, enum gn_java_refusal why)
{
	struct run *r = ctx;
	uint32_t n = index - r->index;

	must(r->again ? why == GN_JAVA_TOO_LARGE || why == GN_JAVA_NOT_COMPILED
		      : why >= GN_JAVA_NO_CODE && why <= GN_JAVA_CONSTRUCTOR,
	     "what was made by the rewriter is well-formed");
	r->refused++;
	if (n < sizeof(r->left))
		r->left[n] = 1;
}

static int rewrite(struct run *r, const uint8_t *at, size_t n, uint8_t **out,
		   size_t *out_len)
{
	static const struct gn_java_hooks hooks = {"gnomon/Hooks", "enter",
						   "leave", "unwound"};

	r->methods = r->selected = r->refused = 0;
	r->size = 0;
	return gn_java_rewrite(at, n, &hooks, choose, refused, get, r, out,
			       out_len);
}

/* The output is a class file of the same methods, in memory of its size. */
static void check_again(struct run *r, const uint8_t *out, size_t out_len)
{
	unsigned int methods = r->methods;
	uint8_t *copy = malloc(out_len), *again;
	size_t again_len;
	int n;

	must(copy, "there is memory");
	memcpy(copy, out, out_len);
	r->again = true;
	r->fail = 0;
	n = rewrite(r, copy, out_len, &again, &again_len);
	must(n >= 0 && r->methods == methods, "it is a class file again");
	must((unsigned int)n == r->selected - r->refused,
	     "each method is hooked or refused");
	must(!n || again_len > out_len, "it became longer");
	free(copy);
}

void gn_fuzz(const uint8_t *bytes, size_t size)
{
	struct gn_fuzz_in in = {bytes, size};
	struct run r = {0};
	uint8_t *out = NULL, *class;
	size_t out_len = 0, n;
	int hooked;

	r.index = (uint32_t)gn_fuzz_take(&in, 4);
	/* a class has at most so many methods */
	if (r.index > UINT32_MAX - UINT16_MAX - 1)
		r.index -= UINT16_MAX + 1;
	r.fail = (unsigned int)gn_fuzz_take(&in, 1);
	n = in.left;
	class = gn_fuzz_take_bytes(&in, &n);
	hooked = rewrite(&r, class, n, &out, &out_len);
	must(hooked >= 0 || hooked == -EBADMSG || hooked == -ENOMEM,
	     "errors are those that are known");
	must(hooked != -ENOMEM || r.fail, "memory is asked for only if needed");
	must(r.size <= 64 * n + (1u << 24), "memory is bounded");
	if (hooked > 0) {
		must(out && out_len > n, "it became longer");
		must((unsigned int)hooked == r.selected - r.refused,
		     "each method is hooked or refused");
		check_again(&r, out, out_len);
	}
	drop(&r);
	free(class);
}
