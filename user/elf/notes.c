/* SPDX-License-Identifier: BSD-2-Clause */
#include "elf/notes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/grow.h>
#include "elf/elf_image.h"

#define NT_STAPSDT 3
#define MAX_NOTES  65536

/* Limits of look-ups of symbols that arguments name, and of the symbols of a
 * file that all of them together may visit. */
#define MAX_LOOKUPS 1024
#define MAX_SYMBOLS (256u << 20)

struct table {
	Elf_Data *syms, *strs; /* NULL: none */
};

struct notes {
	struct gn_image image;
	struct gn_note *note;
	size_t count, room;
	size_t lookups, symbols; /* number so far */
	struct table tables[2];
	struct gn_notes_left left;
	uint64_t base; /* address of .stapsdt.base */
};

/* Copies the string at *pos. False: it does not end before `end`. A string that
 * does not fit into `out` is not copied. */
static bool take_name(const char **pos, const char *end, char out[GN_NOTE_NAME],
		      bool *fits)
{
	const char *nul = memchr(*pos, 0, (size_t)(end - *pos));
	size_t size;

	if (!nul)
		return false;
	size = (size_t)(nul - *pos) + 1;
	if (size <= GN_NOTE_NAME)
		memcpy(out, *pos, size);
	else
		*fits = false;
	*pos = nul + 1;
	return true;
}

/* Copies the text of the arguments. False: it does not end before `end`. Words
 * that do not fit into `out` become dots. */
static bool take_args(const char *text, const char *end, char *out, size_t size)
{
	static const char more[] = " ...";
	const char *nul = memchr(text, 0, (size_t)(end - text)), *last;
	size_t n;

	if (!nul)
		return false;
	n = (size_t)(nul - text);
	if (n >= size) {
		n = size - sizeof(more);
		last = memrchr(text, ' ', n);
		n = last ? (size_t)(last - text) : 0;
		strcpy(out + n, more);
	} else {
		out[n] = '\0';
	}
	memcpy(out, text, n);
	return true;
}

static void find_table(const struct gn_image *image, uint32_t type,
		       struct table *table)
{
	if (!gn_image_symbols(image, type, &table->syms, &table->strs))
		*table = (struct table){0};
}

/* Finds the address of a symbol in one of the tables. */
static bool find_symbol(void *ctx, const char *name, uint64_t *addr)
{
	struct notes *notes = ctx;
	GElf_Sym sym;

	if (notes->lookups == MAX_LOOKUPS)
		return false;
	if (!notes->lookups++) {
		find_table(&notes->image, SHT_DYNSYM, &notes->tables[0]);
		find_table(&notes->image, SHT_SYMTAB, &notes->tables[1]);
	}
	for (size_t t = 0; t < 2; t++) {
		const struct table *in = &notes->tables[t];

		for (int i = 0; notes->symbols < MAX_SYMBOLS && in->syms &&
				gelf_getsym(in->syms, i, &sym);
		     i++, notes->symbols++) {
			if (sym.st_shndx == SHN_UNDEF ||
			    !gn_string_is(in->strs, sym.st_name, name))
				continue;
			*addr = sym.st_value;
			return true;
		}
	}
	return false;
}

/* Takes the description of one note: three addresses and three strings. */
static int take_note(struct notes *notes, const char *desc, size_t size)
{
	const char *pos = desc + 24, *end = desc + size;
	struct gn_note *note;
	uint64_t addr[3];
	bool fits = true;

	if (size < 24) {
		notes->left.broken++;
		return 0;
	}
	memcpy(addr, desc, 24);
	if (gn_grow_by_one(&notes->note, &notes->room, notes->count,
			   sizeof(*note)))
		return -ENOMEM;
	note = &notes->note[notes->count];
	if (notes->base && addr[1]) {
		addr[0] += notes->base - addr[1];
		addr[2] += addr[2] ? notes->base - addr[1] : 0;
	}
	memset(note, 0, sizeof(*note));
	note->addr = addr[0];
	if (!take_name(&pos, end, note->provider, &fits) ||
	    !take_name(&pos, end, note->name, &fits) ||
	    !take_args(pos, end, note->args, sizeof(note->args)) ||
	    gn_image_offset(&notes->image, addr[0], PF_X, &note->offset) ||
	    (addr[2] &&
	     gn_image_offset(&notes->image, addr[2], PF_W, &note->semaphore))) {
		notes->left.broken++;
	} else if (!fits) {
		notes->left.long_names++;
	} else {
		note->nargs = gn_note_args(pos, note->addr, find_symbol, notes,
					   note->arg);
		notes->count++;
	}
	return 0;
}

static int take_section(Elf_Scn *scn, struct notes *notes)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t name, desc, next, at = 0;
	GElf_Nhdr nh;

	while (data && (next = gelf_getnote(data, at, &nh, &name, &desc))) {
		const char *bytes = data->d_buf;

		if (nh.n_type == NT_STAPSDT && nh.n_namesz == 8 &&
		    !memcmp(bytes + name, "stapsdt", 8)) {
			int err = 0;

			if (notes->count == MAX_NOTES)
				notes->left.too_many++;
			else
				err = take_note(notes, bytes + desc,
						nh.n_descsz);
			if (err)
				return err;
		}
		at = next;
	}
	return 0;
}

static int walk(struct notes *notes)
{
	uint64_t left = notes->image.size; /* sections do not overlap */
	Elf_Scn *scn;
	GElf_Shdr sh;
	int err = 0;

	if (gn_image_find(&notes->image, ".stapsdt.base", &sh))
		notes->base = sh.sh_addr;
	for (size_t i = 1; !err && i < notes->image.nsections; i++)
		if (gn_image_section(&notes->image, i, &sh, &scn) &&
		    sh.sh_type == SHT_NOTE && sh.sh_size <= left) {
			left -= sh.sh_size;
			err = take_section(scn, notes);
		}
	return err;
}

int gn_notes_read(const char *path, struct gn_note **out, size_t *count,
		  struct gn_notes_left *left)
{
	struct notes notes = {0};
	int err = gn_image_open(path, &notes.image);

	if (err)
		return err;
	err = walk(&notes);
	gn_image_close(&notes.image);
	if (left)
		gn_notes_left_add(left, &notes.left);
	if (!err && !notes.count)
		err = -ENOENT;
	if (err) {
		free(notes.note);
		return err;
	}
	*out = notes.note;
	*count = notes.count;
	return 0;
}

void gn_notes_left_add(struct gn_notes_left *to,
		       const struct gn_notes_left *more)
{
	to->long_names += more->long_names;
	to->broken += more->broken;
	to->too_many += more->too_many;
}

const char *gn_notes_left_text(const struct gn_notes_left *left,
			       char text[GN_NOTES_LEFT_TEXT])
{
	FILE *f = fmemopen(text, GN_NOTES_LEFT_TEXT, "w");
	const char *comma = "";

	*text = '\0';
	if (!f)
		return NULL;
	if (left->long_names) {
		fprintf(f, "%zu with names of more than %d bytes",
			left->long_names, GN_NOTE_NAME - 1);
		comma = ", ";
	}
	if (left->broken) {
		fprintf(f, "%s%zu whose notes are broken", comma, left->broken);
		comma = ", ";
	}
	if (left->too_many)
		fprintf(f, "%s%zu behind the first %d of a file", comma,
			left->too_many, MAX_NOTES);
	fclose(f);
	return *text ? text : NULL;
}
