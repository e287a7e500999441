// SPDX-License-Identifier: BSD-2-Clause
/* The function symbols: read from .symtab, .dynsym and the debug file's
 * .symtab, sorted, without duplicates, with sizes filled in, demangled. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/grow.h>
#include "elf/elf_internal.h"

/* Longer than any name that is searched for. */
#define GN_PLAIN_NAME 256

/* A symbol while the table is built, with what ranks it among its aliases. */
struct raw {
	struct gn_elf_symbol sym;
	uint8_t bind;	/* 0 global, 1 weak, 2 local */
	uint8_t scores; /* number of leading underscores */
	size_t order;	/* order in which it was found */
};

struct raws {
	struct raw *items;
	size_t count, room;
	uint64_t *labels; /* of global code that is not marked as functions */
	size_t nlabels, labels_room;
};

static bool add_table(struct gn_elf *elf, const struct gn_image *image,
		      uint32_t type, uint64_t bias)
{
	struct gn_symtab *t = &elf->tables[elf->ntables];

	if (!gn_image_symbols(image, type, &t->syms, &t->strs))
		return false;
	t->count = t->syms->d_size / sizeof(Elf64_Sym);
	t->bias = bias;
	t->dynamic = type == SHT_DYNSYM;
	elf->ntables++;
	return true;
}

/* Address of the first executable segment. Prelink and some strip tools change
 * it, but the debug file's symbols keep the old addresses. */
static bool text_address(const struct gn_image *image, uint64_t *addr)
{
	GElf_Phdr ph;
	size_t n;

	if (elf_getphdrnum(image->elf, &n) || n > GN_ELF_MAX_SEGMENTS)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &ph) ||
		    ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		*addr = ph.p_vaddr;
		return true;
	}
	return false;
}

static void add_tables(struct gn_elf *elf)
{
	bool symtab = add_table(elf, &elf->main, SHT_SYMTAB, 0);
	bool dynsym = add_table(elf, &elf->main, SHT_DYNSYM, 0);
	uint64_t here, there, bias = 0;

	if (elf->debug.elf) {
		if (text_address(&elf->main, &here) &&
		    text_address(&elf->debug, &there))
			bias = here - there;
		symtab |= add_table(elf, &elf->debug, SHT_SYMTAB, bias);
	}
	elf->stripped = !symtab;
	elf->opaque = !symtab && !dynsym;
}

/* Sorts executable sections: a section's end is that of its last function. */
static int by_begin(const void *a, const void *b)
{
	const struct gn_elf_range *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static int load_sections(struct gn_elf *elf)
{
	GElf_Shdr sh;
	Elf_Scn *scn;
	size_t n = elf->main.nsections;

	elf->sections = calloc(n ? n : 1, sizeof(*elf->sections));
	if (!elf->sections)
		return -ENOMEM;
	for (size_t i = 1; i < n; i++)
		if (gn_image_section(&elf->main, i, &sh, &scn) &&
		    sh.sh_flags & SHF_EXECINSTR && sh.sh_flags & SHF_ALLOC &&
		    sh.sh_size && sh.sh_addr <= UINT64_MAX - sh.sh_size)
			elf->sections[elf->nsections++] = (struct gn_elf_range){
				sh.sh_addr, sh.sh_addr + sh.sh_size};
	qsort(elf->sections, elf->nsections, sizeof(*elf->sections), by_begin);
	return 0;
}

/* Removes the version, in place, as the strings are our copy. False: it is not
 * a valid name. */
static bool clean(char *name)
{
	size_t n;

	for (n = 0; name[n]; n++) {
		if (name[n] == '@' && n) {
			name[n] = '\0';
			break;
		}
		if (n >= GN_ELF_MAX_NAME)
			return false;
	}
	return n > 0;
}

static bool is_cold(const char *name)
{
	const char *s = strstr(name, ".cold");

	return s && s != name && (!s[5] || s[5] == '.');
}

static uint8_t underscores(const char *name)
{
	uint8_t n = 0;

	while (n < 8 && name[n] == '_')
		n++;
	return n;
}

static int push(struct raws *raws, const struct raw *raw)
{
	int err = gn_grow_by_one(&raws->items, &raws->room, raws->count,
				 sizeof(*raws->items));

	if (err)
		return err;
	raws->items[raws->count] = *raw;
	raws->items[raws->count].order = raws->count;
	raws->count++;
	return 0;
}

/* Assemblers give a global label no type unless told to. */
static int take_label(const struct gn_elf *elf, uint64_t addr,
		      struct raws *raws)
{
	int err;

	if (!gn_elf_code(elf, addr, 1))
		return 0;
	err = gn_grow_by_one(&raws->labels, &raws->labels_room, raws->nlabels,
			     sizeof(*raws->labels));
	if (!err)
		raws->labels[raws->nlabels++] = addr;
	return err;
}

static int take(struct gn_elf *elf, const struct gn_symtab *table,
		const GElf_Sym *sym, struct raws *raws)
{
	int type = GELF_ST_TYPE(sym->st_info);
	int bind = GELF_ST_BIND(sym->st_info);
	uint64_t addr = sym->st_value + table->bias;
	struct raw raw = {0};
	char *name;

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS)
		return 0;
	if (type == STT_NOTYPE && bind != STB_LOCAL)
		return take_label(elf, addr, raws);
	if (type != STT_FUNC && type != STT_GNU_IFUNC)
		return 0;
	if (gn_elf_offset(elf, addr, &raw.sym.offset))
		return 0;
	name = (char *)gn_string(table->strs, sym->st_name);
	if (!name || !clean(name))
		return 0;
	raw.bind = bind == STB_LOCAL ? 2 : bind == STB_WEAK ? 1 : 0;
	raw.scores = underscores(name);
	raw.sym.name = name;
	raw.sym.addr = addr;
	raw.sym.size = sym->st_size;
	raw.sym.is_ifunc = type == STT_GNU_IFUNC;
	raw.sym.is_cold = is_cold(name);
	return push(raws, &raw);
}

static int gather(struct gn_elf *elf, struct raws *raws)
{
	GElf_Sym sym;

	for (size_t t = 0; t < elf->ntables; t++)
		for (size_t i = 1; i < elf->tables[t].count; i++) {
			int err;

			if (!gelf_getsym(elf->tables[t].syms, (int)i, &sym))
				continue;
			err = take(elf, &elf->tables[t], &sym, raws);
			if (err)
				return err;
		}
	return 0;
}

/* By address, then by how well known the name is: global before weak before
 * local, then fewer leading underscores first. Only a prefix of long names is
 * compared. */
static int by_preference(const void *a, const void *b)
{
	const struct raw *x = a, *y = b;
	int c;

	if (x->sym.addr != y->sym.addr)
		return x->sym.addr < y->sym.addr ? -1 : 1;
	if (x->bind != y->bind)
		return x->bind - y->bind;
	if (x->scores != y->scores)
		return x->scores - y->scores;
	c = strncmp(x->sym.name, y->sym.name, 512);
	if (c)
		return c;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void drop_doubles(struct raws *raws)
{
	size_t kept = 0;

	for (size_t i = 0; i < raws->count; i++) {
		struct raw *r = &raws->items[i];
		struct raw *last = kept ? &raws->items[kept - 1] : NULL;

		if (last && last->sym.addr == r->sym.addr &&
		    !strncmp(last->sym.name, r->sym.name, GN_ELF_MAX_NAME)) {
			if (!last->sym.size)
				last->sym.size = r->sym.size;
			last->sym.is_ifunc |= r->sym.is_ifunc;
			continue;
		}
		raws->items[kept++] = *r;
	}
	raws->count = kept;
}

/* The end of the section that contains addr, or, without section headers, of
 * the segment. */
static uint64_t region_end(const struct gn_elf *elf, uint64_t addr)
{
	size_t lo = 0, hi = elf->nsections;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (elf->sections[mid].begin <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo && addr < elf->sections[lo - 1].end)
		return elf->sections[lo - 1].end;
	for (size_t i = 0; i < elf->nsegments; i++)
		if (addr >= elf->segments[i].addr &&
		    addr - elf->segments[i].addr < elf->segments[i].size)
			return elf->segments[i].addr + elf->segments[i].size;
	return addr;
}

/* The first of `n` sorted addresses above `addr`, or `end` if that is less. */
static uint64_t next_above(const uint64_t *all, size_t n, uint64_t addr,
			   uint64_t end)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (all[mid] <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && all[lo] < end ? all[lo] : end;
}

/* The latest end of a function without a size: where other code begins, by a
 * label or by the unwind table. */
static uint64_t end_of(const struct gn_elf *elf, const struct raws *raws,
		       uint64_t addr, uint64_t next)
{
	uint64_t end = region_end(elf, addr);

	end = next < end ? next : end;
	end = next_above(raws->labels, raws->nlabels, addr, end);
	return next_above(elf->starts, elf->nstarts, addr, end);
}

/* Fills in sizes of 0: an alias's size, else up to what comes next. */
static void fill_sizes(const struct gn_elf *elf, struct raws *raws)
{
	uint64_t next = UINT64_MAX;
	size_t i = raws->count;

	while (i) {
		size_t last = i;
		uint64_t addr = raws->items[i - 1].sym.addr, known = 0;

		for (; i && raws->items[i - 1].sym.addr == addr; i--)
			if (raws->items[i - 1].sym.size > known)
				known = raws->items[i - 1].sym.size;
		if (!known)
			known = end_of(elf, raws, addr, next) - addr;
		for (size_t j = i; j < last; j++)
			if (!raws->items[j].sym.size)
				raws->items[j].sym.size = known;
		next = addr;
	}
}

/* Limits of what demanglers may read and print for one file. Real files stay
 * far below; hostile files cannot exceed them. */
struct budget {
	uint64_t in, out;
};

static int demangle(struct gn_elf *elf, struct gn_elf_symbol *sym,
		    struct budget *left)
{
	size_t len = strlen(sym->name);
	char *title;
	int err;

	sym->demangled = sym->name;
	if (len > left->in || left->out < GN_ELF_MAX_TITLE)
		return 0;
	err = gn_demangle(sym->name, GN_ELF_MAX_TITLE, &title);
	if (err)
		return err;
	left->in -= len;
	if (!title)
		return 0;
	left->out -= strlen(title);
	elf->titles[elf->ntitles++] = title;
	sym->demangled = title;
	return 0;
}

static int finish(struct gn_elf *elf, const struct raws *raws)
{
	struct budget left = {.in = 1 << 20, .out = 64 << 20};
	int err = 0;

	for (size_t t = 0; t < elf->ntables; t++) {
		left.in += 2 * elf->tables[t].strs->d_size;
		left.out += 16 * elf->tables[t].strs->d_size;
	}
	if (!raws->count)
		return 0;
	elf->symbols = calloc(raws->count, sizeof(*elf->symbols));
	elf->titles = calloc(raws->count, sizeof(*elf->titles));
	if (!elf->symbols || !elf->titles)
		return -ENOMEM;
	for (size_t i = 0; !err && i < raws->count; i++) {
		elf->symbols[i] = raws->items[i].sym;
		elf->nsymbols++;
		err = demangle(elf, &elf->symbols[i], &left);
	}
	return err;
}

int gn_symbols_load(struct gn_elf *elf)
{
	struct raws raws = {0};
	int err;

	add_tables(elf);
	err = load_sections(elf);
	if (!err)
		err = gather(elf, &raws);
	if (!err && raws.count) {
		qsort(raws.items, raws.count, sizeof(*raws.items),
		      by_preference);
		if (raws.nlabels)
			qsort(raws.labels, raws.nlabels, sizeof(*raws.labels),
			      gn_by_address);
		drop_doubles(&raws);
		fill_sizes(elf, &raws);
		err = finish(elf, &raws);
	}
	free(raws.items);
	free(raws.labels);
	return err;
}

void gn_elf_names(const struct gn_elf *elf,
		  bool (*each)(void *ctx, const char *name), void *ctx)
{
	char plain[GN_PLAIN_NAME];
	GElf_Sym sym;

	for (size_t t = 0; t < elf->ntables; t++)
		for (size_t i = 1; i < elf->tables[t].count; i++) {
			const char *s;
			size_t n;

			if (!gelf_getsym(elf->tables[t].syms, (int)i, &sym))
				continue;
			s = gn_string(elf->tables[t].strs, sym.st_name);
			n = s ? strcspn(s, "@") : 0;
			if (!n || n >= sizeof(plain))
				continue;
			memcpy(plain, s, n);
			plain[n] = '\0';
			if (!each(ctx, plain))
				return;
		}
}

struct wanted {
	const char *symbol;
	bool found;
};

static bool is_wanted(void *ctx, const char *name)
{
	struct wanted *w = ctx;

	w->found = !strcmp(name, w->symbol);
	return !w->found;
}

bool gn_elf_mentions(const struct gn_elf *elf, const char *symbol)
{
	struct wanted w = {.symbol = symbol};

	gn_elf_names(elf, is_wanted, &w);
	return w.found;
}
