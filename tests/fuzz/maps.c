/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists of mappings as in /proc/PID/maps, with hostile names. An input is the
 * file to look for, then the list.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "capture/mute_memory.h"
#include "fuzz.h"

static FILE *open_text(const struct gn_fuzz_in *in)
{
	FILE *f = in->left ? fmemopen((void *)(uintptr_t)in->p, in->left, "r")
			   : fopen("/dev/null", "r");

	must(f, "there is a stream");
	return f;
}

static void read_lines(FILE *f)
{
	struct gn_mapping m;
	struct gn_maps maps;
	uint64_t end = 0;
	int got;

	gn_maps_of(&maps, f);
	while ((got = gn_maps_next(&maps, &m)) == 1) {
		must(m.start >= end && m.end > m.start,
		     "mappings are in order");
		must(m.name && !strchr(m.name, '\n'), "a name is of one line");
		end = m.end;
	}
	must(!got || got == -EILSEQ, "a list ends or is none");
	gn_maps_done(&maps);
}

static void find_file(FILE *f, const struct gn_mute_file *file)
{
	uint64_t base = 1, table, end;
	int err = gn_mute_scan(f, file, &base);

	must(err <= 0, "the answer is an error or none");
	if (err)
		return;
	must(base >= file->head.first &&
		     !__builtin_add_overflow(base - file->head.first,
					     file->table, &table) &&
		     !__builtin_add_overflow(table, file->size, &end),
	     "the bytes have addresses");
}

void gn_fuzz(const uint8_t *bytes, size_t size)
{
	struct gn_fuzz_in in = {bytes, size};
	struct gn_mute_file file = {
		.id.dev = gn_fuzz_take(&in, 1) << 32,
		.id.ino = gn_fuzz_take(&in, 1),
		.head.first = gn_fuzz_take(&in, 1) << 12,
		.table = gn_fuzz_take(&in, 2),
		.size = gn_fuzz_take(&in, 2),
	};
	FILE *f;

	file.id.dev |= gn_fuzz_take(&in, 1);
	f = open_text(&in);
	find_file(f, &file);
	rewind(f);
	read_lines(f);
	fclose(f);
}
