// SPDX-License-Identifier: BSD-2-Clause
#include "compile.h"

#include <stddef.h>

#include <gnomon/runtime_event.h>
#include "methods.h"
#include "sites.h"

/* Compilations nest: one can run code that must be compiled, even of the same
 * method. Deeper ones count for the one that they are in. */
#define NEST_MAX 32

struct compilation {
	gn_mono method;
	uint64_t frame; /* an address in the compiler's frame */
	uint32_t index;
};

static uint32_t families;

static _Thread_local struct {
	struct compilation at[NEST_MAX];
	uint32_t n;
	gn_mono asks; /* the runtime will ask about what this is compiled to */
} own __attribute__((tls_model("initial-exec")));

void gn_compile_init(uint32_t wanted)
{
	families = wanted;
}

static uint32_t index_of(gn_mono method)
{
	return families & (GN_FAMILY_JIT | GN_FAMILY_CODE)
		       ? gn_method_compiled(method)
		       : gn_method_ask(method, false);
}

static void end_last(uint64_t size)
{
	gn_site_jit_end(own.at[--own.n].index, size);
}

void gn_compile_begins(gn_mono method, uint64_t frame)
{
	uint32_t index = index_of(method);

	/* the runtime does not report the end of all that fail */
	while (own.n && own.at[own.n - 1].frame <= frame)
		end_last(GN_JIT_GONE);
	own.asks = method;
	if (own.n == NEST_MAX)
		return;
	own.at[own.n++] = (struct compilation){method, frame, index};
	gn_site_jit_begin(index, frame);
}

bool gn_compile_asks(void)
{
	bool is = own.asks;

	own.asks = NULL;
	return is;
}

static void tell_code(gn_mono method, gn_mono code)
{
	uint32_t index = gn_method_compiled(method);

	if (index)
		gn_site_code(index,
			     (uint64_t)(uintptr_t)gn_mono_api.code_start(code),
			     (uint64_t)gn_mono_api.code_size(code));
}

void gn_compile_ends(gn_mono method, gn_mono code)
{
	uint32_t i = own.n;

	if (code && families & GN_FAMILY_CODE)
		tell_code(method, code);
	if (code && own.asks == method)
		gn_method_unhooked(method);
	own.asks = NULL;
	while (i && own.at[i - 1].method != method)
		i--;
	/* the end of shared code is reported for several methods */
	if (!i)
		return;
	while (own.n > i)
		end_last(GN_JIT_GONE);
	end_last(code ? (uint64_t)gn_mono_api.code_size(code) : GN_JIT_GONE);
}
