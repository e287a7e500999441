// SPDX-License-Identifier: BSD-2-Clause
/* The whole-process proof: whether anything in the mapped files can unwind or
 * switch stacks, interrupt a function to do so, or load code later. */
#include <stdio.h>
#include <string.h>

#include <gnomon/path.h>
#include "site/site_internal.h"

/* The C library and the dynamic linker, by their sonames. */
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

static void blame(struct gn_fault *f, const struct gn_elf *elf,
		  const char *what)
{
	if (f->what)
		return;
	f->what = what;
	snprintf(f->file, sizeof(f->file), "%s",
		 gn_base_name(gn_elf_path(elf)));
}

struct naming {
	struct gn_world *w;
	const struct gn_elf *elf;
};

static bool look_at_name(void *ctx, const char *name)
{
	struct naming *n = ctx;
	const struct gn_use *use = gn_use_of(name);

	if (use && use->when == GN_USE_BY_CALL)
		blame(&n->w->by_call, n->elf, use->what);
	else if (use)
		blame(&n->w->any_time, n->elf, use->what);
	return !n->w->any_time.what || !n->w->by_call.what;
}

static void scan_names(struct gn_world *w, const struct gn_elf *elf)
{
	struct naming n = {w, elf};

	if (gn_elf_opaque(elf))
		blame(&w->any_time, elf, "does not say what it imports");
	if (gn_elf_is_go(elf))
		blame(&w->any_time, elf,
		      "is written in Go, which stops functions and reads its "
		      "stacks");
	if (gn_elf_has_section(elf, GN_AOT_SECTION))
		blame(&w->any_time, elf,
		      "is .NET compiled to native code, whose runtime stops "
		      "functions and reads their stacks");
	/* a statically linked unwinder may have no symbol */
	if (gn_elf_has_section(elf, ".gcc_except_table"))
		blame(&w->by_call, elf, "handles exceptions");
	gn_elf_names(elf, look_at_name, &n);
}

/* Whether the instruction can move rsp out of the frame of its function, which
 * ends at `end`. 1: it can; 0: it cannot (*cleared: nothing in the function
 * can); -ENOMEM. */
static int switches(const struct gn_elf *elf, const struct gn_sweep *sweep,
		    uint64_t addr, uint64_t end, struct gn_body *scratch,
		    uint64_t *cleared)
{
	uint64_t begin = sweep->below;
	struct gn_insn in;
	int err;

	if (!gn_decode(sweep->bytes, sweep->size, addr, &in))
		return 0;
	if (!(in.kills & 1u << GN_RSP) && in.dst != GN_RSP &&
	    in.effect != GN_EFF_LEAVE)
		return 0;
	if (in.effect == GN_EFF_ADD || in.effect == GN_EFF_ALIGN)
		return 0;
	if (end - begin > GN_BODY_MAX)
		return 1;
	err = gn_body_read(scratch, elf, NULL, begin, end - begin);
	if (err)
		return err;
	*cleared = begin;
	return scratch->whole || scratch->frame;
}

static int scan_code(struct gn_world *w, const struct gn_elf *elf,
		     struct gn_body *scratch)
{
	struct gn_sweep sweep;
	struct gn_skim skim;
	uint64_t addr, cleared = UINT64_MAX; /* start of a function that does
						not switch stacks */

	gn_sweep_begin(&sweep, elf);
	while (!w->any_time.what && gn_sweep_next(&sweep, &skim, &addr)) {
		uint64_t end = sweep.view.addr + sweep.view.size;
		int bad;

		if (skim.calls_kernel)
			blame(&w->any_time, elf, "makes system calls itself");
		if (w->by_call.what || !skim.sets_rsp || sweep.below == cleared)
			continue;
		bad = switches(elf, &sweep, addr,
			       sweep.next < end ? sweep.next : end, scratch,
			       &cleared);
		if (bad < 0)
			return bad;
		if (bad)
			blame(&w->by_call, elf, "may switch stacks");
	}
	return 0;
}

int gn_world_scan(struct gn_world *w, struct gn_elf *const *elf, size_t n,
		  struct gn_body *scratch)
{
	int err = 0;

	w->scanned = true;
	for (size_t i = 0; i < n; i++)
		if (!is_libc(elf[i]))
			scan_names(w, elf[i]);
	for (size_t i = 0; !err && i < n && !w->any_time.what; i++)
		if (!is_libc(elf[i]))
			err = scan_code(w, elf[i], scratch);
	return err;
}
