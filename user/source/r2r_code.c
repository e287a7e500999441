// SPDX-License-Identifier: BSD-2-Clause
#include "source/r2r_code.h"

#include <errno.h>
#include <stdlib.h>

#include "hooksite/clr/elements.h"
#include "hooksite/clr/r2r_read.h"

#define FUNCTION_SIZE 12u /* its start, its end, its unwind data */
#define ROWS_MAX      GN_R2R_ELEMENTS_MAX
#define INSTANCE_MAX  4096u

enum {
	SECTION_FUNCTIONS = 102,
	SECTION_INSTANCES = 109,
	SECTION_MODULES = 115,
	SECTION_COLD = 120,
};

/* Flags of an instance's signature. A method that the runtime suspends is an
 * instance, too (SIG_SUSPENDS). The compiler puts the code that resumes it
 * right behind it, without an entry point, so that it counts as part of the
 * method. */
enum {
	SIG_STUBS = 0x03, /* kinds of stubs of the same method */
	SIG_ARGUMENTS = 0x04,
	SIG_MEMBER = 0x10, /* it is a member of another module */
	SIG_OWNER = 0x40,
	SIG_MODULE = 0x80,
	SIG_SUSPENDS = 0x100,
	SIG_KNOWN = 0x1d7,
};

/* A parsed signature. */
struct instance {
	uint32_t flags, row;
	struct gn_md_instance of;
};

struct scan {
	struct gn_bytes functions;
	struct gn_r2r_code *code; /* by function; `end` 0: no method begins
				     there */
	size_t left; /* bytes of signatures left, since no two can overlap */
};

static uint32_t function_field(const struct scan *s, size_t i, unsigned int at)
{
	return gn_le_get(s->functions.at + i * FUNCTION_SIZE + at, 4);
}

/* Takes an entry point, which has the number of its first function. */
static bool take_entry(struct scan *s, struct gn_r2r_reader at, uint32_t method,
		       const struct gn_bytes *instance)
{
	uint32_t id = gn_r2r_number(&at, false);
	size_t i = id & 1 ? id >> 2 : id >> 1;
	struct gn_r2r_code *code;

	if (at.bad || i >= s->functions.n / FUNCTION_SIZE)
		return false;
	code = &s->code[i];
	if (!code->end)
		*code = (struct gn_r2r_code){
			.start = function_field(s, i, 0),
			.end = function_field(s, i, 4),
			.method = method,
			.instance = *instance,
		};
	return true;
}

static bool take_methods(struct scan *s, const struct gn_bytes *section)
{
	static const struct gn_bytes none;
	struct gn_r2r_sparse methods;

	if (!gn_r2r_sparse(section, &methods))
		return false;
	for (uint32_t i = 0; i < methods.count; i++) {
		struct gn_r2r_reader at;

		if (gn_r2r_element(&methods, i, &at) &&
		    !take_entry(s, at, i + 1, &none))
			return false;
		if (at.bad)
			return false;
	}
	return true;
}

/* Reads a count and that many types. Skips those beyond the number that a name
 * can have. */
static bool read_arguments(struct gn_bytes *b, struct gn_md_args *args)
{
	if (!gn_md_number(b, &args->n))
		return false;
	for (uint32_t i = 0; i < args->n; i++) {
		if (i < GN_MD_ARGS_MAX)
			args->arg[i] = *b;
		if (!gn_md_skip_type(b))
			return false;
	}
	return true;
}

/* Reads the arguments of a type that is an instance of a generic one; any other
 * type has none. */
static bool read_owner(struct gn_bytes *b, struct gn_md_args *args)
{
	struct gn_bytes type = *b;
	uint32_t token;

	if (!gn_md_skip_type(b))
		return false;
	if (type.at[0] != EL_GENERICINST)
		return true;
	/* CLASS or VALUETYPE, and a token (ECMA-335, II.23.2.12) */
	type = (struct gn_bytes){type.at + 2, type.n - 2};
	return gn_md_number(&type, &token) && read_arguments(&type, args);
}

/* Takes a signature off `b`. */
static bool read_instance(struct gn_bytes *b, struct instance *in)
{
	uint32_t module;

	*in = (struct instance){0};
	if (!gn_md_number(b, &in->flags) || in->flags & ~(uint32_t)SIG_KNOWN ||
	    (in->flags & SIG_MODULE && !gn_md_number(b, &module)) ||
	    (in->flags & SIG_OWNER && !read_owner(b, &in->of.of_type)))
		return false;
	return gn_md_number(b, &in->row) &&
	       (!(in->flags & SIG_ARGUMENTS) ||
		read_arguments(b, &in->of.of_method));
}

static bool take_instance(void *ctx, struct gn_r2r_reader at)
{
	struct scan *s = ctx;
	struct gn_bytes b, sig;
	struct instance in;

	if (at.at > at.b.n)
		return false;
	b = (struct gn_bytes){at.b.at + at.at, at.b.n - at.at};
	b.n = b.n < INSTANCE_MAX ? b.n : INSTANCE_MAX;
	sig = b;
	if (!read_instance(&b, &in))
		return false;
	sig.n -= b.n;
	at.at += sig.n;
	if (sig.n > s->left)
		return false;
	s->left -= sig.n;
	if (in.flags & (SIG_MEMBER | SIG_MODULE) || in.row > ROWS_MAX ||
	    in.of.of_type.n > GN_MD_ARGS_MAX ||
	    in.of.of_method.n > GN_MD_ARGS_MAX)
		in.row = 0;
	return take_entry(s, at, in.row, &sig);
}

static bool take_instances(struct scan *s, const struct gn_bytes *section)
{
	s->left = section->n;
	return gn_r2r_entries(section, take_instance, s);
}

/* The number of functions before the cold parts of methods, which are at the
 * end. */
static size_t count_hot(const struct gn_pe *pe, size_t functions)
{
	struct gn_bytes cold;

	if (!gn_r2r_section(pe, SECTION_COLD, &cold) || cold.n < 4)
		return functions;
	return gn_le_get(cold.at, 4) < functions ? gn_le_get(cold.at, 4)
						 : functions;
}

/* A method's code extends to the next entry point: functions without an entry
 * point, such as exception handlers, are parts of it. */
static size_t join(struct scan *s, size_t functions)
{
	size_t n = 0;

	for (size_t i = 0; i < functions; i++) {
		struct gn_r2r_code code = s->code[i];

		if (!code.end && n)
			s->code[n - 1].end = function_field(s, i, 4);
		else if (code.end > code.start)
			s->code[n++] = code;
	}
	for (size_t i = 0; i < n; i++)
		if (s->code[i].start >= s->code[i].end ||
		    (i && s->code[i].start < s->code[i - 1].end))
			return 0;
	return n;
}

bool gn_r2r_code_composite(const struct gn_pe *pe)
{
	struct gn_bytes modules;
	uint32_t flags;

	return gn_r2r_flags(pe, &flags) &&
	       gn_r2r_section(pe, SECTION_MODULES, &modules);
}

int gn_r2r_code_read(const struct gn_pe *pe, struct gn_r2r_code **code,
		     size_t *n)
{
	struct gn_bytes methods, instances;
	struct scan s = {.code = NULL};
	uint32_t flags;
	size_t count;

	*code = NULL;
	*n = 0;
	if (!gn_r2r_flags(pe, &flags) || flags & GN_R2R_COMPONENT ||
	    gn_r2r_code_composite(pe) ||
	    !gn_r2r_section(pe, SECTION_FUNCTIONS, &s.functions))
		return 0;
	count = s.functions.n / FUNCTION_SIZE;
	s.code = calloc(count + 1, sizeof(*s.code));
	if (!s.code)
		return -ENOMEM;
	if ((!gn_r2r_section(pe, GN_R2R_METHODS, &methods) ||
	     take_methods(&s, &methods)) &&
	    (!gn_r2r_section(pe, SECTION_INSTANCES, &instances) ||
	     take_instances(&s, &instances)))
		*n = join(&s, count_hot(pe, count));
	if (!*n) {
		free(s.code);
		return count ? -EBADMSG : 0;
	}
	*code = s.code;
	return 0;
}

const struct gn_r2r_code *gn_r2r_code_at(const struct gn_r2r_code *code,
					 size_t n, uint32_t address)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (code[mid].start <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && address < code[lo - 1].end ? &code[lo - 1] : NULL;
}

void gn_r2r_code_name(const struct gn_md *md, const struct gn_r2r_code *code,
		      struct gn_text *name)
{
	struct gn_bytes sig = code->instance;
	struct instance in;

	if (sig.n && read_instance(&sig, &in))
		gn_md_put_method(md, code->method, &in.of, name);
	else
		gn_md_put_method(md, code->method, NULL, name);
}
