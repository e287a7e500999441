/* SPDX-License-Identifier: BSD-2-Clause */
#include "elf/variables.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_image.h"

#define WORD sizeof(uint64_t)

/* How many places beside the address of a name are looked at. */
#define USES 16

/* What is before and behind each place that has the address of the name. */
struct row {
	uint64_t slot[USES];
	size_t n;
	bool many; /* several variables are possible */
};

struct search {
	struct gn_image image;
	size_t n;
	uint64_t *addr;
	uint64_t *rows; /* where the table has them; or NULL */
	uint64_t *text; /* addresses of the names, as linked */
	struct row *row;
};

/* Finds the name as a whole string. */
static uint64_t find_text(const Elf_Data *data, uint64_t addr, const char *name)
{
	const char *bytes = data->d_buf, *at = bytes;
	const char *end = bytes + data->d_size;
	size_t size = strlen(name) + 1;

	while ((at = memmem(at, (size_t)(end - at), name, size))) {
		if (at == bytes || !at[-1])
			return addr + (uint64_t)(at - bytes);
		at++;
	}
	return 0;
}

static void find_texts(struct search *s, const char *const *names)
{
	uint64_t left = s->image.size; /* sections do not overlap */
	GElf_Shdr sh;
	Elf_Scn *scn;

	for (size_t i = 1; i < s->image.nsections; i++) {
		Elf_Data *data;

		if (!gn_image_section(&s->image, i, &sh, &scn) ||
		    sh.sh_type != SHT_PROGBITS ||
		    (sh.sh_flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR)) !=
			    SHF_ALLOC ||
		    sh.sh_size > left)
			continue;
		left -= sh.sh_size;
		data = gn_image_data(scn, &sh);
		if (!data)
			continue;
		for (size_t k = 0; k < s->n; k++)
			s->text[k] = s->text[k]
					     ?: find_text(data, sh.sh_addr,
							  names[k]);
	}
}

static void note_row(void *ctx, uint64_t slot, uint64_t value)
{
	struct search *s = ctx;

	for (size_t i = 0; i < s->n; i++) {
		struct row *row = &s->row[i];

		if (!s->text[i] || value != s->text[i])
			continue;
		if (row->n < USES) {
			row->slot[row->n++] = slot - WORD;
			row->slot[row->n++] = slot + WORD;
		} else {
			row->many = true;
		}
	}
}

/* Whether the program can write there before and after its relocation. */
static bool can_write(const struct gn_image *image, uint64_t addr)
{
	bool can = false;
	GElf_Phdr ph;
	size_t n;

	if (elf_getphdrnum(image->elf, &n) || n > GN_ELF_MAX_SEGMENTS)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &ph) ||
		    addr < ph.p_vaddr || addr - ph.p_vaddr >= ph.p_memsz)
			continue;
		if (ph.p_type == PT_GNU_RELRO)
			return false;
		can |= ph.p_type == PT_LOAD && ph.p_flags & PF_W;
	}
	return can;
}

bool gn_variables_writable(const char *path, uint64_t addr)
{
	struct gn_image image;
	bool can;

	if (gn_image_open(path, &image))
		return false;
	can = can_write(&image, addr);
	gn_image_close(&image);
	return can;
}

/* Takes each slot once, so that a file that fills it in again costs no more. */
static bool take_slot(struct row *row, uint64_t addr)
{
	for (size_t i = 0; i < row->n; i++)
		if (row->slot[i] == addr) {
			row->slot[i] = row->slot[--row->n];
			return true;
		}
	return false;
}

static void note_variable(void *ctx, uint64_t slot, uint64_t value)
{
	struct search *s = ctx;

	for (size_t i = 0; i < s->n; i++) {
		if (!take_slot(&s->row[i], slot) ||
		    !can_write(&s->image, value))
			continue;
		s->row[i].many |= s->addr[i] && s->addr[i] != value;
		s->addr[i] = value;
		if (s->rows)
			s->rows[i] = slot;
	}
}

int gn_variables_rows(const char *path, const char *const *names, size_t n,
		      uint64_t *addr, uint64_t *rows)
{
	struct search s = {.n = n, .addr = addr, .rows = rows};
	int err;

	memset(addr, 0, n * sizeof(*addr));
	s.text = calloc(n, sizeof(*s.text));
	s.row = calloc(n, sizeof(*s.row));
	err = s.text && s.row ? gn_image_open(path, &s.image) : -ENOMEM;
	if (!err) {
		find_texts(&s, names);
		gn_image_relatives(&s.image, note_row, &s);
		gn_image_relatives(&s.image, note_variable, &s);
		for (size_t i = 0; i < n; i++)
			if (s.row[i].many)
				addr[i] = 0;
		gn_image_close(&s.image);
	}
	free(s.text);
	free(s.row);
	return err;
}

int gn_variables(const char *path, const char *const *names, size_t n,
		 uint64_t *addr)
{
	return gn_variables_rows(path, names, n, addr, NULL);
}

static int find_begin(const struct gn_image *image, uint64_t *addr)
{
	GElf_Shdr sh;
	GElf_Dyn dyn;
	Elf_Scn *scn = gn_image_find(image, ".dynamic", &sh);
	Elf_Data *data = scn ? gn_image_data(scn, &sh) : NULL;

	for (int i = 0; data && gelf_getdyn(data, i, &dyn); i++)
		if (dyn.d_tag == DT_INIT) {
			*addr = dyn.d_un.d_ptr;
			return 0;
		}
	return -ENOENT;
}

int gn_variables_begin(const char *path, uint64_t *addr, uint64_t *offset)
{
	struct gn_image image;
	int err = gn_image_open(path, &image);

	if (err)
		return err;
	err = find_begin(&image, addr)
		      ?: gn_image_offset(&image, *addr, PF_X, offset);
	gn_image_close(&image);
	return err;
}
