/* SPDX-License-Identifier: BSD-2-Clause */
#include "runtime/usdt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INSN_MAX 15

enum gn_cost gn_usdt_cost(int fd, uint64_t offset, char insn[32])
{
	uint8_t bytes[INSN_MAX];
	ssize_t n = pread(fd, bytes, sizeof(bytes), (off_t)offset);
	size_t len;

	*insn = '\0';
	return n > 0 ? gn_cost_of(bytes, (size_t)n, offset, insn, &len)
		     : GN_COST_REFUSED;
}

static int by_name(const void *a, const void *b)
{
	const struct gn_note *x = a, *y = b;
	int order = strcmp(x->provider, y->provider);

	if (!order)
		order = strcmp(x->name, y->name);
	if (!order)
		order = (x->offset > y->offset) - (x->offset < y->offset);
	return order;
}

static bool same_probe(const struct gn_note *a, const struct gn_note *b)
{
	return !strcmp(a->provider, b->provider) && !strcmp(a->name, b->name);
}

int gn_usdt_walk(const struct gn_files *files, size_t i,
		 struct gn_filter *filter, gn_usdt_fn each, void *ctx,
		 struct gn_notes_left *left)
{
	const struct gn_file *file = &files->file[i];
	char place[GN_FILE_PLACE];
	struct gn_note *note = NULL;
	size_t count = 0;
	int err = gn_notes_read(gn_file_place(file->fd, place), &note, &count,
				left);

	gn_filter_usdt(filter, file->path, file->program, NULL, NULL);
	if (err)
		return err == -ENOMEM ? err : 0;
	qsort(note, count, sizeof(*note), by_name);
	for (size_t from = 0, to; !err && from < count; from = to) {
		to = from + 1;
		while (to < count && same_probe(&note[from], &note[to]))
			to++;
		if (gn_filter_usdt(filter, file->path, file->program,
				   note[from].provider, note[from].name))
			err = each(ctx, i, &note[from], to - from);
	}
	free(note);
	return err;
}
