// SPDX-License-Identifier: BSD-2-Clause
/* What a file contains for the dynamic linker: its soname, and imported symbols
 * and their slots. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/grow.h>
#include "elf/elf_internal.h"

static void read_dynamic(struct gn_elf *elf, Elf_Data *data, Elf_Data *strs)
{
	size_t n = data->d_size / sizeof(Elf64_Dyn);
	GElf_Dyn dyn;

	for (size_t i = 0; i < n; i++) {
		if (!gelf_getdyn(data, (int)i, &dyn) || dyn.d_tag == DT_NULL)
			break;
		if (dyn.d_tag != DT_SONAME)
			continue;
		elf->soname = gn_string(strs, dyn.d_un.d_val) ?: elf->soname;
	}
}

static const struct gn_symtab *dynsym(const struct gn_elf *elf)
{
	for (size_t t = 0; t < elf->ntables; t++)
		if (elf->tables[t].dynamic)
			return &elf->tables[t];
	return NULL;
}

static int by_slot(const void *a, const void *b)
{
	const struct gn_import *x = a, *y = b;

	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* The name of the function whose resolver is at addr. */
static const char *ifunc_name(const struct gn_elf *elf, uint64_t addr)
{
	size_t lo = 0, hi = elf->nsymbols;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (elf->symbols[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < elf->nsymbols && elf->symbols[lo].addr == addr; lo++)
		if (elf->symbols[lo].is_ifunc)
			return elf->symbols[lo].name;
	return NULL;
}

static const char *import_name(const struct gn_elf *elf,
			       const struct gn_symtab *table,
			       const GElf_Rela *rela)
{
	GElf_Sym sym;

	switch (GELF_R_TYPE(rela->r_info)) {
	case R_X86_64_IRELATIVE:
		return ifunc_name(elf, (uint64_t)rela->r_addend);
	case R_X86_64_JUMP_SLOT:
	case R_X86_64_GLOB_DAT:
		if (gelf_getsym(table->syms, (int)GELF_R_SYM(rela->r_info),
				&sym))
			return gn_string(table->strs, sym.st_name);
		return NULL;
	default:
		return NULL;
	}
}

static int add_import(struct gn_elf *elf, uint64_t slot, const char *name,
		      size_t *room)
{
	int err = gn_grow_by_one(&elf->imports, room, elf->nimports,
				 sizeof(*elf->imports));

	if (!err)
		elf->imports[elf->nimports++] = (struct gn_import){slot, name};
	return err;
}

static int add_fixed(struct gn_elf *elf, uint64_t slot, uint64_t code)
{
	int err;

	if (slot < elf->relro.begin || slot >= elf->relro.end)
		return 0;
	err = gn_grow_by_one(&elf->fixed, &elf->fixed_room, elf->nfixed,
			     sizeof(*elf->fixed));
	if (!err)
		elf->fixed[elf->nfixed++] = (struct gn_pointer){slot, code};
	return err;
}

static int add_pointer(struct gn_elf *elf, uint64_t slot, uint64_t addr)
{
	int err;

	if (!gn_elf_code(elf, addr, 1))
		return 0;
	err = gn_grow_by_one(&elf->pointers, &elf->pointers_room,
			     elf->npointers, sizeof(*elf->pointers));
	if (err)
		return err;
	elf->pointers[elf->npointers++] = addr;
	return add_fixed(elf, slot, addr);
}

static int read_relocations(struct gn_elf *elf, Elf_Data *data)
{
	size_t n = data->d_size / sizeof(Elf64_Rela);
	const struct gn_symtab *table = dynsym(elf);
	size_t room = elf->nimports;
	GElf_Rela rela;

	for (size_t i = 0; table && i < n; i++) {
		const char *s;
		int err = 0;

		if (!gelf_getrela(data, (int)i, &rela))
			break;
		if (GELF_R_TYPE(rela.r_info) == R_X86_64_RELATIVE) {
			err = add_pointer(elf, rela.r_offset,
					  (uint64_t)rela.r_addend);
		} else {
			s = import_name(elf, table, &rela);
			if (s && *s)
				err = add_import(elf, rela.r_offset, s, &room);
		}
		if (err)
			return err;
	}
	return 0;
}

static int add_packed(void *ctx, uint64_t slot, uint64_t addr)
{
	return add_pointer(ctx, slot, addr);
}

static int read_packed(struct gn_elf *elf, Elf_Data *data, uint64_t *slots)
{
	int err = gn_packed_each(&elf->main, data, slots, add_packed, elf);

	if (err != -ENOEXEC)
		return err;
	elf->pointers_hidden = true;
	return 0;
}

/* What further such sections can have in total: sections do not overlap. */
struct left {
	uint64_t bytes;
	uint64_t slots; /* of packed relocations */
};

static int read_section(struct gn_elf *elf, Elf_Scn *scn, const GElf_Shdr *sh,
			struct left *left)
{
	Elf_Data *data, *strs = NULL;
	GElf_Shdr strh;
	Elf_Scn *str;

	const GElf_Word packed = 19; /* SHT_RELR; older headers lack it */

	if (sh->sh_type != SHT_DYNAMIC && sh->sh_type != packed &&
	    (sh->sh_type != SHT_RELA || !(sh->sh_flags & SHF_ALLOC)))
		return 0;
	if (sh->sh_size > left->bytes) {
		elf->opaque = true;
		return 0;
	}
	left->bytes -= sh->sh_size;
	data = gn_image_data(scn, sh);
	if (!data)
		return 0;
	if (sh->sh_type == SHT_RELA)
		return read_relocations(elf, data);
	if (sh->sh_type == packed)
		return read_packed(elf, data, &left->slots);
	if (gn_image_section(&elf->main, sh->sh_link, &strh, &str) &&
	    strh.sh_size <= left->bytes) {
		left->bytes -= strh.sh_size;
		strs = gn_image_data(str, &strh);
	}
	read_dynamic(elf, data, strs);
	return 0;
}

/* Whether there is a dynamic segment but no symbol table: then the imports are
 * not known. */
static bool hidden_imports(const struct gn_elf *elf)
{
	GElf_Phdr ph;
	size_t n;

	if (dynsym(elf) || elf_getphdrnum(elf->main.elf, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf->main.elf, (int)i, &ph) &&
		    (ph.p_type == PT_DYNAMIC || ph.p_type == PT_INTERP))
			return true;
	return false;
}

int gn_by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int by_fixed(const void *a, const void *b)
{
	const struct gn_pointer *x = a, *y = b;

	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

int gn_dynamic_load(struct gn_elf *elf)
{
	struct left left = {elf->main.size, elf->main.size / sizeof(uint64_t)};
	GElf_Ehdr ehdr;
	GElf_Shdr sh;
	Elf_Scn *scn;

	for (size_t i = 1; i < elf->main.nsections; i++) {
		int err;

		if (!gn_image_section(&elf->main, i, &sh, &scn))
			continue;
		err = read_section(elf, scn, &sh, &left);
		if (err)
			return err;
	}
	if (elf->nimports)
		qsort(elf->imports, elf->nimports, sizeof(*elf->imports),
		      by_slot);
	if (elf->npointers)
		qsort(elf->pointers, elf->npointers, sizeof(*elf->pointers),
		      gn_by_address);
	if (elf->nfixed)
		qsort(elf->fixed, elf->nfixed, sizeof(*elf->fixed), by_fixed);
	if (hidden_imports(elf))
		elf->opaque = true;
	if (elf->opaque || !gelf_getehdr(elf->main.elf, &ehdr) ||
	    ehdr.e_type != ET_DYN)
		elf->pointers_hidden = true;
	return 0;
}

bool gn_elf_pointer(const struct gn_elf *elf, uint64_t slot, uint64_t *code)
{
	const struct gn_pointer key = {.slot = slot};
	const struct gn_pointer *at =
		elf->nfixed ? bsearch(&key, elf->fixed, elf->nfixed,
				      sizeof(key), by_fixed)
			    : NULL;

	if (at)
		*code = at->code;
	return at;
}

const char *gn_elf_import(const struct gn_elf *elf, uint64_t slot)
{
	const struct gn_import key = {.slot = slot};
	const struct gn_import *at =
		elf->nimports ? bsearch(&key, elf->imports, elf->nimports,
					sizeof(key), by_slot)
			      : NULL;

	return at ? at->name : NULL;
}
