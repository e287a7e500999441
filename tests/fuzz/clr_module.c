/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A .NET module in memory, as the hook-site library reads it inside the traced
 * program: it finds the metadata, the copies in precompiled code, and the names
 * of methods. An input is a byte, odd for a module that is laid out as in its
 * file, and the module.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "hooksite/clr/borrow.h"
#include "hooksite/clr/md_name.h"
#include "hooksite/clr/metadata.h"
#include "hooksite/clr/pe.h"
#include "hooksite/clr/r2r.h"

#define ROOM 1024

struct module {
	const uint8_t *bytes;
	size_t size;
	struct gn_md md;
	uint32_t last; /* last row that was visited */
};

static bool readable(void *ctx, const uint8_t *at, size_t n)
{
	const struct module *m = ctx;
	uintptr_t from = (uintptr_t)at - (uintptr_t)m->bytes;

	return from <= m->size && n <= m->size - from;
}

static void check_name(const struct gn_text *name)
{
	must(name->len < ROOM && strlen(name->bytes) == name->len,
	     "a name has one end, within its room");
}

static bool visit_type(void *ctx, struct gn_text *name)
{
	(void)ctx;
	check_name(name);
	return true;
}

static void visit_method(void *ctx, struct gn_text *name, uint32_t row)
{
	struct module *m = ctx;
	struct gn_md_method method;
	char bytes[ROOM];
	struct gn_text whole;

	must(row > m->last, "each method is told once");
	m->last = row;
	gn_md_method(&m->md, row, &method);
	gn_text_init(&whole, bytes, sizeof(bytes));
	gn_md_put_method(&m->md, row, NULL, &whole);
	check_name(&whole);
	gn_text_put(name, ".");
	gn_text_put(name, method.name);
	check_name(name);
}

static void borrow(const struct gn_md *md)
{
	struct gn_il_borrowed borrowed;
	gn_token call = gn_borrow_call(md, &borrowed);

	must(!call || gn_md_method_sig(md, GN_TOKEN_ROW(call)).n >= 4,
	     "a method's signature is borrowed");
	for (uint32_t i = 1; i <= md->table[GN_TOKEN_METHODDEF].count && i < 8;
	     i++) {
		struct gn_il_hooks hooks = {.index = i};

		gn_borrow_slot(md, i, (gn_token)GN_TOKEN_SIG << 24 | i, &hooks);
		gn_borrow_slot(md, i, 0, &hooks);
	}
}

static void visit_marked(void *ctx, uint32_t row)
{
	(void)ctx, (void)row;
}

static bool asks(void *ctx, uint32_t module, uint32_t method)
{
	(void)ctx, (void)module;
	return method % 2;
}

static void visit_copy(void *ctx, const struct gn_r2r_copy *copy)
{
	(void)ctx, (void)copy;
}

void gn_fuzz(const uint8_t *bytes, size_t size)
{
	struct gn_fuzz_in in = {bytes, size};
	bool flat = gn_fuzz_take(&in, 1) & 1;
	struct module m = {.size = in.left};
	uint8_t *copy = gn_fuzz_take_bytes(&in, &m.size);
	struct gn_pe pe;
	char room[ROOM];

	m.bytes = copy;
	if (gn_pe_open(&pe, copy, flat, readable, &m))
		gn_r2r_copies(&pe,
			      &(struct gn_r2r_asker){asks, visit_copy, &m});
	if (pe.metadata.at && gn_md_open(&m.md, &pe.metadata)) {
		gn_md_visit(&m.md,
			    &(struct gn_md_visitor){NULL, visit_type,
						    visit_method, &m},
			    room, sizeof(room));
		gn_md_find_type(&m.md, "System", "Object");
		gn_md_id(&m.md);
		borrow(&m.md);
		gn_md_marked(&m.md, visit_marked, &m);
	}
	free(copy);
}
