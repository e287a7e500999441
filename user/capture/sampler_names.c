// SPDX-License-Identifier: BSD-2-Clause
/* Names of code in files: by symbols, if it is certain that they are the right
 * ones; of precompiled code of .NET by its module. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/drain.h"
#include "capture/sampler_parts.h"
#include "elf/elf_file.h"
#include "process/files.h"
#include "process/regular.h"
#include "source/precompiled.h"

/* Kept apart from those of probes, which can still come. */
#define FIRST_FUNCTION (1u << 27)
#define FIRST_MODULE   (1u << 31)

#define UNKNOWN	  "[unknown]"
#define COMPOSITE "[composite image]"

struct file {
	struct gn_file_id id;
	char *path;
	bool looked, told, composite;
	struct gn_elf *elf;			 /* NULL: it has no symbols */
	struct gn_precompiled_code *precompiled; /* NULL: it has none */
	const struct gn_elf_symbol *symbol;
	size_t symbols;
	const uint64_t *starts; /* of functions, with or without symbols */
	size_t nstarts;
	/* of each symbol, or of each method's code; 0: it has none yet */
	uint32_t *function;
	uint32_t unknown;
};

struct gn_sampler_names {
	gn_sampler_put put;
	void *ctx;
	struct file *file;
	size_t n, room;
	uint64_t bytes; /* of the files that are held */
	uint32_t next;
	uint32_t made[2]; /* code of no file; interpreted */
};

struct gn_sampler_names *gn_sampler_names_new(gn_sampler_put put, void *ctx)
{
	struct gn_sampler_names *n = calloc(1, sizeof(*n));

	if (n) {
		n->put = put;
		n->ctx = ctx;
		n->next = FIRST_FUNCTION;
	}
	return n;
}

void gn_sampler_names_free(struct gn_sampler_names *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->n; i++) {
		if (n->file[i].elf)
			gn_elf_close(n->file[i].elf);
		gn_precompiled_close(n->file[i].precompiled);
		free(n->file[i].path);
		free(n->file[i].function);
	}
	free(n->file);
	free(n);
}

uint32_t gn_sampler_names_module(struct gn_sampler_names *n,
				 const struct gn_file_id *id, const char *path)
{
	struct file *f = n->file;
	size_t i;

	for (i = 0; i < n->n; i++)
		if (gn_file_same(&f[i].id, id) && !strcmp(f[i].path, path))
			return FIRST_MODULE + (uint32_t)i;
	if (n->n == GN_MODULES_FILES)
		return GN_MODULE_UNKNOWN;
	if (n->n == n->room) {
		n->room = n->room ? n->room * 2 : 64;
		f = reallocarray(n->file, n->room, sizeof(*f));
		if (!f) {
			n->room = n->n;
			return GN_MODULE_UNKNOWN;
		}
		n->file = f;
	}
	f[n->n] = (struct file){.id = *id, .path = strdup(path)};
	return f[n->n].path ? FIRST_MODULE + (uint32_t)n->n++
			    : GN_MODULE_UNKNOWN;
}

static uint32_t tell(struct gn_sampler_names *n, struct file *f, uint64_t addr,
		     uint8_t flags, const char *name)
{
	uint32_t module = f ? FIRST_MODULE + (uint32_t)(f - n->file) : 0;
	uint32_t func;

	if (n->next > GN_FUNC_INDEX(~0u))
		return 0;
	func = GN_FUNC(GN_RUNTIME_NATIVE, n->next++);
	if (f && !f->told)
		gn_text_record_to(n->put, n->ctx, GN_KIND_MODULE, module, 0, 0,
				  0, f->path,
				  f->elf ? gn_elf_build_id(f->elf) : "");
	if (f)
		f->told = true;
	gn_text_record_to(n->put, n->ctx, GN_KIND_FUNCTION, func, module, addr,
			  flags, name, "");
	return func;
}

/* Opens the file that is mapped, by the process's own paths. -1: it is not
 * there any more, or is too large. */
static int open_file(struct gn_sampler_names *n, uint32_t pid,
		     const struct file *f)
{
	char path[4096 + 32];
	struct gn_file_id id;
	struct stat st;
	int fd;

	if (f->path[0] != '/' || snprintf(path, sizeof(path), "/proc/%u/root%s",
					  pid, f->path) >= (int)sizeof(path))
		return -1;
	fd = gn_regular_open(path);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && !gn_maps_name(fd, &id) &&
	    gn_file_same(&id, &f->id) &&
	    n->bytes + (uint64_t)st.st_size <= GN_MODULES_BYTES) {
		n->bytes += (uint64_t)st.st_size;
		return fd;
	}
	close(fd);
	return -1;
}

static void look(struct gn_sampler_names *n, uint32_t pid, struct file *f)
{
	char place[GN_FILE_PLACE];
	int fd = open_file(n, pid, f);

	f->looked = true;
	if (fd < 0)
		return;
	if (gn_elf_open_as(gn_file_place(fd, place), f->path, &f->elf))
		f->elf = NULL;
	if (!f->elf)
		f->precompiled = gn_precompiled_open(fd, &f->composite);
	close(fd);
	if (f->elf) {
		f->symbols = gn_elf_symbols(f->elf, &f->symbol);
		f->nstarts = gn_elf_starts(f->elf, &f->starts);
	} else if (f->precompiled) {
		f->symbols = f->precompiled->n;
	}
	f->function = calloc(f->symbols + 1, sizeof(*f->function));
}

/* How many of the symbols begin at the offset or before. */
static size_t symbols_to(const struct file *f, uint64_t offset)
{
	size_t lo = 0, hi = f->symbols;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->symbol[mid].offset <= offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Whether another function begins between the two, by the unwind table: a
 * symbol without a size is assumed to reach to the next one. */
static bool begins_between(const struct file *f, uint64_t after, uint64_t to)
{
	size_t lo = 0, hi = f->nstarts;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->starts[mid] <= to)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && f->starts[lo - 1] > after;
}

/* The symbol of the code there; SIZE_MAX: none. If an address has several
 * names, the first is the best. */
static size_t symbol_at(const struct file *f, uint64_t offset)
{
	size_t i = symbols_to(f, offset);
	const struct gn_elf_symbol *s;

	if (!i)
		return SIZE_MAX;
	while (--i && f->symbol[i - 1].addr == f->symbol[i].addr)
		;
	s = &f->symbol[i];
	if (offset - s->offset >= s->size ||
	    begins_between(f, s->addr, s->addr + (offset - s->offset)))
		return SIZE_MAX;
	return i;
}

static uint32_t tell_precompiled(struct gn_sampler_names *n, struct file *f,
				 size_t i)
{
	char bytes[GN_PRECOMPILED_NAME_MAX];
	struct gn_text name;

	gn_text_init(&name, bytes, sizeof(bytes));
	gn_precompiled_name(f->precompiled, i, &name);
	return tell(n, f, f->precompiled->code[i].start, GN_F_CLR_NAME, bytes);
}

uint32_t gn_sampler_names_at(struct gn_sampler_names *n, uint32_t pid,
			     uint32_t module, uint64_t offset)
{
	size_t i = SIZE_MAX;
	struct file *f;

	if (module == GN_MODULE_UNKNOWN)
		return gn_sampler_names_made(n, false);
	f = &n->file[module - FIRST_MODULE];
	if (!f->looked)
		look(n, pid, f);
	if (f->function)
		i = f->precompiled ? gn_precompiled_at(f->precompiled, offset)
				   : symbol_at(f, offset);
	if (i != SIZE_MAX && !f->function[i])
		f->function[i] = f->precompiled
					 ? tell_precompiled(n, f, i)
					 : tell(n, f, f->symbol[i].addr, 0,
						f->symbol[i].demangled);
	if (i != SIZE_MAX && f->function[i])
		return f->function[i];
	if (!f->unknown)
		f->unknown =
			tell(n, f, 0, 0, f->composite ? COMPOSITE : UNKNOWN);
	return f->unknown;
}

uint32_t gn_sampler_names_made(struct gn_sampler_names *n, bool interpreted)
{
	uint32_t *made = &n->made[interpreted];

	if (!*made)
		*made = tell(n, NULL, 0, 0,
			     interpreted ? "[interpreted]" : UNKNOWN);
	return *made;
}
