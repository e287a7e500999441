/* SPDX-License-Identifier: BSD-2-Clause */
/* The native functions of gnomon list, kept until they are written. */
#include "cmd/listing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The names of one file can be parts of one long text, so a small file can have
 * gigabytes of them. Real programs stay far below TEXT_MAX; beyond it, names
 * are cut to CUT_MAX bytes. */
#define TEXT_MAX (128u << 20)
#define CUT_MAX	 256

void gn_listing_clear(struct gn_listing *l)
{
	for (size_t i = 0; i < l->nfunctions; i++) {
		if (l->function[i].symbol != l->function[i].name)
			free(l->function[i].symbol);
		free(l->function[i].name);
		free(l->function[i].plan.leaves);
	}
	for (size_t i = 0; i < l->nruntimes; i++)
		free(l->runtime[i].hook);
	free(l->function);
	free(l->runtime);
	free(l->usdt);
	gn_listing_clear_managed(l);
	gn_files_free(&l->files);
	memset(l, 0, sizeof(*l));
}

static int copy_leaves(struct gn_list_function *fn, const struct gn_plan *plan)
{
	fn->plan.leaves = NULL;
	fn->plan.nleaves = 0;
	if (!plan->nleaves)
		return 0;
	fn->plan.leaves = calloc(plan->nleaves, sizeof(*plan->leaves));
	if (!fn->plan.leaves)
		return -ENOMEM;
	memcpy(fn->plan.leaves, plan->leaves,
	       plan->nleaves * sizeof(*plan->leaves));
	fn->plan.nleaves = plan->nleaves;
	for (size_t i = 0; i < plan->nleaves; i++) {
		if (plan->leaves[i].kind == GN_SITE_TAIL)
			fn->tails++;
		else
			fn->rets++;
	}
	return 0;
}

static char *keep(struct gn_listing *l, const char *text)
{
	size_t len = strlen(text);

	if (len > CUT_MAX && len > TEXT_MAX - l->text)
		return strndup(text, CUT_MAX);
	l->text += len > CUT_MAX ? len : 0;
	return strdup(text);
}

static int take(void *ctx, size_t file, struct gn_elf *elf,
		const struct gn_elf_symbol *sym, const struct gn_plan *plan)
{
	struct gn_listing *l = ctx;
	void *row, *grown = gn_list_more(l->function, l->nfunctions,
					 sizeof(*l->function), &row);
	struct gn_list_function *fn = row;

	(void)elf;
	if (!grown)
		return -ENOMEM;
	l->function = grown;
	l->nfunctions++; /* from now on gn_listing_clear() frees it */
	fn->file = file;
	fn->addr = sym->addr;
	fn->size = sym->size;
	fn->plan = *plan;
	fn->plan.leaves = NULL;
	fn->name = keep(l, sym->demangled);
	/* the same pointer where there was nothing to demangle */
	fn->symbol =
		sym->demangled == sym->name ? fn->name : keep(l, sym->name);
	if (!fn->name || !fn->symbol || copy_leaves(fn, plan))
		return -ENOMEM;
	if (plan->nsleds)
		l->sleds[plan->sleds->kind]++;
	l->rets += fn->rets;
	l->tails += fn->tails;
	return 0;
}

int gn_listing_functions(struct gn_listing *l,
			 const struct gn_native_opts *opts)
{
	return gn_native_walk(&l->files, opts, take, l, &l->stats);
}

/* Counts the sleds of a function. */
static void count_sleds(struct gn_list_function *fn, const struct gn_sled *sled,
			size_t n)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (sled[mid].addr < fn->addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < n && sled[lo].addr - fn->addr < fn->size; lo++) {
		fn->sled = sled[lo].kind;
		if (sled[lo].ends)
			fn->end_sleds++;
		else
			fn->sleds++;
	}
}

int gn_listing_sleds(struct gn_listing *l)
{
	struct gn_sled *sled = NULL;
	size_t n = 0, broken, file = SIZE_MAX;
	char place[GN_FILE_PLACE];
	int err = 0;

	for (size_t i = 0; i < l->nfunctions && err != -ENOMEM; i++) {
		struct gn_list_function *fn = &l->function[i];

		/* functions of a file follow one another */
		if (fn->file != file) {
			file = fn->file;
			free(sled);
			sled = NULL;
			n = broken = 0;
			err = gn_sleds_read(
				gn_file_place(l->files.file[file].fd, place),
				&sled, &n, &broken);
			l->broken_sleds += broken;
		}
		count_sleds(fn, sled, n);
	}
	free(sled);
	return err == -ENOMEM ? err : 0;
}
