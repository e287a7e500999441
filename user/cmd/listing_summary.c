/* SPDX-License-Identifier: BSD-2-Clause */
/* The summary of a list, on stderr. */
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/listing.h"
#include "output/text.h"

static void tell_sleds(const struct gn_listing *l)
{
	static const char *const options[] = {
#define SLED(name, text, option) [GN_SLED_##name] = option,
		GN_SLED_LIST(SLED)
#undef SLED
	};

	for (int i = 0; i < GN_SLED_KINDS; i++)
		if (l->sleds[i])
			gn_error("%zu of them %s built with %s: %s without "
				 "traps if gnomon starts the program (--hooks)",
				 l->sleds[i],
				 gn_word(l->sleds[i], "was", "were"),
				 options[i],
				 i == GN_SLED_XRAY ? "begin and end are seen"
						   : "their begin is seen");
	if (l->broken_sleds)
		gn_error("%zu malformed sleds are left out", l->broken_sleds);
}

static void tell_managed(const struct gn_listing *l)
{
	size_t functions = 0, generic = 0, unread = 0, in_memory = 0;
	size_t unhooked[GN_UNHOOKED_COUNT] = {0};

	for (size_t i = 0; i < l->nmodules; i++) {
		const struct gn_list_module *m = &l->module[i];

		functions += m->functions;
		generic += m->generic;
		unread += m->error != 0;
		in_memory += m->in_memory;
		for (int k = 0; k < GN_UNHOOKED_COUNT; k++)
			unhooked[k] += m->unhooked[k];
	}
	if (l->nmodules)
		gn_error("%s: %zu %s with code in %zu %s, %zu of them "
			 "loaded from memory; %zu %s generic: all instances of "
			 "one are traced together",
			 l->running->title, functions,
			 gn_word(functions, "function", "functions"),
			 l->nmodules, gn_word(l->nmodules, "module", "modules"),
			 in_memory, generic,
			 gn_word(generic, "function is", "functions are"));
	for (int k = GN_UNHOOKED_NOT + 1; k < GN_UNHOOKED_COUNT; k++)
		if (unhooked[k])
			gn_error("%zu %s no hooks (%s): %s", unhooked[k],
				 gn_word(unhooked[k], "function gets",
					 "functions get"),
				 gn_list_unhooked_word((enum gn_unhooked)k),
				 gn_list_unhooked_why((enum gn_unhooked)k));
	if (unread)
		gn_error("%zu %s cannot be read; functions of %s are "
			 "not listed",
			 unread, gn_word(unread, "module", "modules"),
			 gn_word(unread, "it", "them"));
	if (l->npacked)
		gn_error("%s is packed into the program (a single "
			 "file): its functions can be traced, but are not "
			 "listed",
			 l->running->title);
}

void gn_listing_summary(const struct gn_listing *l, bool automatic)
{
	/* a runtime's functions are not all listed, or known only when
	 * called */
	if (!l->nfunctions && !l->nusdt && !l->nruntimes && !l->running)
		gn_error("no function is left: -f '!GLOB' excludes everything "
			 "that -f GLOB includes; give other patterns");
	if (l->nfunctions)
		gn_error("%zu function%s: end of %zu by return probe, "
			 "of %zu at own returns (rets: %zu, jumps: %zu); %zu "
			 "refused",
			 l->nfunctions, gn_word(l->nfunctions, "", "s"),
			 l->stats.by_return, l->stats.by_ret, l->rets, l->tails,
			 l->stats.refused);
	if (l->nfunctions && automatic)
		gn_error("whole process: %s", l->stats.verdict);
	if (l->stats.stepped)
		gn_error("%zu of them end%s by a single-stepped probe, "
			 "7 to 20 times as expensive as others%s",
			 l->stats.stepped, gn_word(l->stats.stepped, "s", ""),
			 l->stats.dear
				 ? "; --leave return avoids that if nothing "
				   "unwinds or interrupts them"
				 : "");
	tell_sleds(l);
	tell_managed(l);
	if (l->nfunctions && l->stats.stripped)
		gn_error("'%s' is stripped: only what it exports is listed; "
			 "its debug symbols%s add the rest",
			 l->stats.stripped, l->stats.symbols);
	else if (l->nfunctions && l->stats.aot)
		gn_error("'%s' is .NET compiled to native code (Native "
			 "AOT): its methods are called "
			 "Assembly_Namespace_Type__Method",
			 l->stats.aot);
	if (!l->links_known)
		gn_error("which links the kernel allows is not known "
			 "without root; single ones are assumed (--attach)");
}
