// SPDX-License-Identifier: BSD-2-Clause
/* A linear sweep over all code of a file. It restarts wherever a function is
 * known to begin, so that data between functions is misread for a short stretch
 * only. */
#include "site/site_internal.h"

/* Moves the borders to those around the current address. */
static void border(struct gn_sweep *w)
{
	while (w->i < w->nsymbols && w->symbols[w->i].addr <= w->at) {
		if (w->symbols[w->i].addr > w->below)
			w->below = w->symbols[w->i].addr;
		w->i++;
	}
	while (w->j < w->nstarts && w->starts[w->j] <= w->at) {
		if (w->starts[w->j] > w->below)
			w->below = w->starts[w->j];
		w->j++;
	}
	w->next = UINT64_MAX;
	if (w->i < w->nsymbols)
		w->next = w->symbols[w->i].addr;
	if (w->j < w->nstarts && w->starts[w->j] < w->next)
		w->next = w->starts[w->j];
}

static bool next_text(struct gn_sweep *w)
{
	if (!gn_elf_text(w->elf, w->text++, &w->view))
		return false;
	w->at = w->below = w->view.addr;
	border(w);
	return true;
}

void gn_sweep_begin(struct gn_sweep *w, const struct gn_elf *elf)
{
	*w = (struct gn_sweep){.elf = elf};
	w->nsymbols = gn_elf_symbols(elf, &w->symbols);
	w->nstarts = gn_elf_starts(elf, &w->starts);
}

bool gn_sweep_next(struct gn_sweep *w, struct gn_skim *skim, uint64_t *addr)
{
	for (;;) {
		uint64_t end = w->view.addr + w->view.size;

		if (w->at >= end) {
			if (!next_text(w))
				return false;
			continue;
		}
		if (w->at >= w->next)
			border(w);
		*addr = w->at;
		w->bytes = w->view.bytes + (w->at - w->view.addr);
		w->size = end - w->at;
		gn_decode_skim(w->bytes, w->size, w->at, skim);
		if (!skim->len)
			w->at++;
		else if (w->at + skim->len > w->next)
			w->at = w->next;
		else
			w->at += skim->len;
		if (skim->len)
			return true;
	}
}
