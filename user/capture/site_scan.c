// SPDX-License-Identifier: BSD-2-Clause
/*
 * The whole-process proof: does any mapped file unwind stacks, switch them, or
 * bring in code later?
 */
#include <stdio.h>
#include <string.h>

#include "capture/site_internal.h"

struct mention {
	const char *symbol, *what;
};

/* Only a use of these by others than libc counts: libc defines the stack
 * switches and dlopen for them, and unwinds only to end a thread, which return
 * probes survive. */
static const struct mention mentions[] = {
	{"__cxa_throw", "throws C++ exceptions"},
	{"__cxa_rethrow", "throws C++ exceptions"},
	{"__cxa_begin_catch", "catches C++ exceptions"},
	{"_Unwind_RaiseException", "throws exceptions"},
	{"_Unwind_Resume", "unwinds"},
	{"_Unwind_Resume_or_Rethrow", "unwinds"},
	{"_Unwind_ForcedUnwind", "unwinds"},
	{"_Unwind_Backtrace", "walks its stack"},
	{"_Unwind_Find_FDE", "walks its stack"},
	{"unw_init_local", "walks its stack"},
	{"unw_resume", "unwinds"},
	{"backtrace", "walks its stack"},
	{"rust_begin_unwind", "panics"},
	{"rust_panic", "panics"},
	{"rust_eh_personality", "panics"},
	{"__rust_start_panic", "panics"},
	{"objc_exception_throw", "throws exceptions"},
	{"swapcontext", "switches stacks"},
	{"setcontext", "switches stacks"},
	{"makecontext", "switches stacks"},
	{"clone", "makes threads of its own"},
	{"dlopen", "can load further code"},
	{"dlmopen", "can load further code"},
	{"__libc_dlopen_mode", "can load further code"},
};

/* The C library and the dynamic linker, by what they call themselves. */
static bool is_libc(const struct gn_elf *elf)
{
	static const char *const names[] = {
		"libc.so.6",  "ld-linux-x86-64.so.2",  "libpthread.so.0",
		"libdl.so.2", "libc.musl-x86_64.so.1",
	};
	const char *soname = gn_elf_soname(elf);

	for (size_t i = 0; soname && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(soname, names[i]))
			return true;
	return false;
}

static void find_unsafe(struct gn_world *w, const struct gn_elf *elf,
			const char *what)
{
	const char *path = gn_elf_path(elf), *name = strrchr(path, '/');

	if (w->unsafe)
		return;
	w->unsafe = what;
	snprintf(w->file, sizeof(w->file), "%s", name ? name + 1 : path);
}

/* Does the instruction, one of [begin, end), make a foreign place the stack?
 * 1 = it does, 0 = it does not (*cleared: nor does its function), -ENOMEM. */
static int switches(const struct gn_elf *elf, const uint8_t *bytes, size_t size,
		    uint64_t addr, uint64_t begin, uint64_t end,
		    struct gn_body *scratch, uint64_t *cleared)
{
	struct gn_insn in;
	int err;

	if (!gn_decode(bytes, size, addr, &in))
		return 0;
	if (!(in.kills & 1u << GN_RSP) && in.dst != GN_RSP)
		return 0;
	if (in.effect == GN_EFF_COPY && (in.src == GN_RBP || in.src == GN_RSP))
		return 0;
	if (in.effect == GN_EFF_ADD || in.effect == GN_EFF_ADD_REG ||
	    in.effect == GN_EFF_ALIGN)
		return 0;
	if (end - begin > GN_BODY_MAX)
		return 1;
	err = gn_body_read(scratch, elf, NULL, begin, end - begin);
	if (err)
		return err;
	*cleared = begin;
	return scratch->whole || scratch->loads_rsp;
}

static int scan_code(struct gn_world *w, const struct gn_elf *elf,
		     struct gn_body *scratch)
{
	struct gn_sweep sweep;
	struct gn_skim skim;
	uint64_t addr, cleared = UINT64_MAX; /* a function that does not */

	gn_sweep_begin(&sweep, elf);
	while (gn_sweep_next(&sweep, &skim, &addr)) {
		uint64_t end = sweep.view.addr + sweep.view.size;
		int bad;

		if (!skim.sets_rsp || sweep.below == cleared)
			continue;
		bad = switches(elf, sweep.bytes, sweep.size, addr, sweep.below,
			       sweep.next < end ? sweep.next : end, scratch,
			       &cleared);
		if (bad < 0)
			return bad;
		if (bad) {
			find_unsafe(w, elf, "switches stacks");
			return 0;
		}
	}
	return 0;
}

int gn_world_scan(struct gn_world *w, const struct gn_elf *elf,
		  struct gn_body *scratch)
{
	const size_t n = sizeof(mentions) / sizeof(mentions[0]);

	w->scanned = true;
	if (is_libc(elf))
		return 0;
	if (gn_elf_opaque(elf))
		find_unsafe(w, elf, "does not tell what it imports");
	if (!w->altstack && gn_elf_mentions(elf, "sigaltstack"))
		w->altstack = true;
	if (w->altstack)
		find_unsafe(w, elf, "gives signal handlers their own stack");
	for (size_t i = 0; !w->unsafe && i < n; i++)
		if (gn_elf_mentions(elf, mentions[i].symbol))
			find_unsafe(w, elf, mentions[i].what);
	return w->unsafe ? 0 : scan_code(w, elf, scratch);
}
