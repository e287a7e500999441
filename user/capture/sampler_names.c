// SPDX-License-Identifier: BSD-2-Clause
/* Names code in files: by symbols, if it is certain that they are the right
 * ones; precompiled .NET code by its module. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <gnomon/grow.h>
#include <gnomon/path.h>
#include "capture/clock.h"
#include "capture/drain.h"
#include "capture/sampler_parts.h"
#include "elf/elf_file.h"
#include "process/ended.h"
#include "process/files.h"
#include "process/maps.h"
#include "process/regular.h"
#include "source/precompiled.h"

/* Start of the numbers given here, apart from those of probed functions, of
 * which there can be more later. */
#define FIRST_FUNCTION (1u << 27)
#define FIRST_MODULE   (1u << 31)

#define UNKNOWN	  "[unknown]"
#define UNREAD	  "[file not read]"
#define COMPOSITE "[composite image]"

/* Limit of files that are opened ahead; others are opened when they have a
 * sample. */
#define AHEAD_MAX 64

/* File times are the time of the kernel's last tick. */
#define TICK_NS 20000000u

struct file {
	struct gn_file_id id;
	char *path;
	int fd;		 /* until it is looked at; -1: it is not open */
	uint32_t tried;	 /* process through which opening was tried last */
	uint64_t mapped; /* when a process mapped it first */
	bool looked, read, told, composite;
	struct gn_interpreter_file *interpreter; /* NULL: it has none */
	struct gn_elf *elf;			 /* NULL: it has no symbols */
	struct gn_precompiled_code *precompiled; /* NULL: it has none */
	const struct gn_elf_symbol *symbol;
	size_t symbols;
	const uint64_t *starts; /* of functions, with or without symbols */
	size_t nstarts;
	/* the function of each symbol, or of each method's code; 0: none yet */
	uint32_t *function;
	uint32_t unknown, unread;
};

struct gn_sampler_names {
	gn_sampler_put put;
	void *ctx;
	struct file *file;
	size_t n, room;
	uint64_t bytes; /* of the files that are held */
	size_t ahead;	/* files that are open */
	uint32_t next;
	uint32_t made[GN_MADE_COUNT];
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
		if (n->file[i].fd >= 0)
			close(n->file[i].fd);
		free(n->file[i].path);
		free(n->file[i].interpreter);
		free(n->file[i].function);
	}
	free(n->file);
	free(n);
}

/* Whether the file existed when a process mapped it: the inode number of a
 * deleted file can be given to a new one. */
static bool was_there(int fd, uint64_t mapped)
{
	const struct statx_timestamp *made;
	uint64_t age = gn_now_ns() - mapped;
	struct timespec now;
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME | STATX_CTIME, &st) ||
	    clock_gettime(CLOCK_REALTIME, &now))
		return false;
	made = st.stx_mask & STATX_BTIME ? &st.stx_btime : &st.stx_ctime;
	return (now.tv_sec - made->tv_sec) * 1000000000ll + now.tv_nsec -
		       made->tv_nsec >
	       (int64_t)(age + TICK_NS);
}

/* Opens a path if it leads to the file. */
static int open_as(const char *path, const struct file *f)
{
	int fd = gn_regular_open(path);
	struct gn_file_id id;

	if (fd < 0)
		return -1;
	if (!gn_maps_name(fd, &id) && gn_file_same(&id, &f->id))
		return fd;
	close(fd);
	return -1;
}

/* Opens the file by a mapping of it in a process that lives. After an upgrade
 * its path is gone, or leads to the new file. */
static int open_mapped(pid_t pid, const struct file *f)
{
	struct gn_mapping m;
	struct gn_maps maps;
	int fd = -1;

	if (gn_maps_open(&maps, pid))
		return -1;
	while (fd < 0 && gn_maps_next(&maps, &m) == 1)
		if (gn_file_same(&m.file, &f->id))
			fd = gn_file_of_mapping(pid, &m);
	gn_maps_close(&maps);
	return fd < 0 ? -1 : fd;
}

/* Opens the file through the process while it lives, else by gnomon's own path,
 * which can be the same. -1: the file is not there any more. */
static int open_file(uint32_t pid, const struct file *f)
{
	pid_t living = gn_process_living((pid_t)pid);
	char path[4096 + 32];
	int fd = -1;

	if (f->path[0] != '/' || snprintf(path, sizeof(path), "/proc/%d/root%s",
					  living, f->path) >= (int)sizeof(path))
		return -1;
	if (living)
		fd = open_as(path, f);
	if (living && fd < 0)
		fd = open_mapped(living, f);
	if (fd >= 0)
		return fd;
	fd = open_as(f->path, f);
	if (fd < 0 || was_there(fd, f->mapped))
		return fd;
	close(fd);
	return -1;
}

/* Opens the file through a process, unless that one was tried last. */
static void reach(struct gn_sampler_names *n, uint32_t pid, struct file *f)
{
	if (f->looked || f->fd >= 0 || f->tried == pid)
		return;
	f->tried = pid;
	f->fd = open_file(pid, f);
	n->ahead += f->fd >= 0;
}

static bool add_file(struct gn_sampler_names *n, uint64_t time,
		     const struct gn_file_id *id, const char *path)
{
	struct file *f;

	if (n->n == GN_MODULES_FILES ||
	    gn_grow_by_one(&n->file, &n->room, n->n, sizeof(*f)))
		return false;
	f = &n->file[n->n];
	*f = (struct file){.id = *id,
			   .path = strdup(path),
			   .fd = -1,
			   .mapped = time ? time : gn_now_ns()};
	n->n += f->path != NULL;
	return f->path;
}

/* A program in a chroot maps a file by another path than gnomon reads there. An
 * inode of another name can be a new file's, after the first one is gone. */
static bool is_file(const struct file *f, const struct gn_file_id *id,
		    const char *path)
{
	return gn_file_same(&f->id, id) &&
	       !strcmp(id->ino ? gn_base_name(f->path) : f->path,
		       id->ino ? gn_base_name(path) : path);
}

uint32_t gn_sampler_names_module(struct gn_sampler_names *n, uint32_t pid,
				 uint64_t time, const struct gn_file_id *id,
				 const char *path)
{
	struct file *f = n->file;
	size_t i;

	for (i = 0; i < n->n; i++)
		if (is_file(&f[i], id, path))
			break;
	if (i == n->n && !add_file(n, time, id, path))
		return GN_MODULE_UNKNOWN;
	/* the process can end before it has a sample */
	if (n->ahead < AHEAD_MAX)
		reach(n, pid, &n->file[i]);
	return FIRST_MODULE + (uint32_t)i;
}

uint32_t gn_sampler_names_new_function(struct gn_sampler_names *n)
{
	return n->next > GN_FUNC_INDEX(~0u)
		       ? 0
		       : GN_FUNC(GN_RUNTIME_NATIVE, n->next++);
}

static uint32_t tell(struct gn_sampler_names *n, struct file *f, uint64_t addr,
		     uint8_t flags, const char *name)
{
	uint32_t module = f ? FIRST_MODULE + (uint32_t)(f - n->file) : 0;
	uint32_t func = gn_sampler_names_new_function(n);

	if (!func)
		return 0;
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

/* Hands out the open file, to be read; -1: it is too large. */
static int take_open(struct gn_sampler_names *n, struct file *f)
{
	int fd = f->fd;
	struct stat st;

	f->fd = -1;
	n->ahead--;
	if (!fstat(fd, &st) &&
	    n->bytes + (uint64_t)st.st_size <= GN_MODULES_BYTES) {
		n->bytes += (uint64_t)st.st_size;
		return fd;
	}
	close(fd);
	return -1;
}

static void look_for_interpreter(struct file *f, const char *place)
{
	struct gn_interpreter_file its;

	if (!gn_interpreter_file_read(f->elf, place, &its))
		return;
	f->interpreter = malloc(sizeof(its));
	if (f->interpreter)
		*f->interpreter = its;
}

static void look(struct gn_sampler_names *n, uint32_t pid, struct file *f)
{
	char place[GN_FILE_PLACE];
	int fd;

	reach(n, pid, f);
	if (f->fd < 0)
		return;
	f->looked = true;
	fd = take_open(n, f);
	if (fd < 0)
		return;
	f->read = true;
	if (gn_elf_open_as(gn_file_place(fd, place), f->path, &f->elf))
		f->elf = NULL;
	if (f->elf)
		look_for_interpreter(f, place);
	else
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

const struct gn_interpreter_file *
gn_sampler_names_interpreter(struct gn_sampler_names *n, uint32_t pid,
			     uint32_t module)
{
	struct file *f;

	if (module == GN_MODULE_UNKNOWN)
		return NULL;
	f = &n->file[module - FIRST_MODULE];
	if (!f->looked && gn_interpreter_named(gn_base_name(f->path)))
		look(n, pid, f);
	return f->interpreter;
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

/* Whether there can have been a file to open: memory has names, too. */
static bool has_path(const struct file *f)
{
	static const char memory[] = "/memfd:";

	return f->path[0] == '/' &&
	       strncmp(f->path, memory, sizeof(memory) - 1) != 0;
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
		return gn_sampler_names_made(n, GN_MADE_UNKNOWN);
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
	if (!f->read && has_path(f)) {
		if (!f->unread)
			f->unread = tell(n, f, 0, 0, UNREAD);
		return f->unread;
	}
	if (!f->unknown)
		f->unknown =
			tell(n, f, 0, 0, f->composite ? COMPOSITE : UNKNOWN);
	return f->unknown;
}

uint32_t gn_sampler_names_made(struct gn_sampler_names *n, enum gn_made what)
{
	static const char *const name[GN_MADE_COUNT] = {
		[GN_MADE_UNKNOWN] = UNKNOWN,
		[GN_MADE_INTERPRETED] = "[interpreted]",
		[GN_MADE_ENDED] = "[process ended]",
		[GN_MADE_CALLERS] = "[more callers]",
		[GN_MADE_NAMELESS + GN_INTERPRETER_PYTHON] =
			"[Python function]",
		[GN_MADE_NAMELESS + GN_INTERPRETER_RUBY] = "[Ruby method]",
		[GN_MADE_NAMELESS + GN_INTERPRETER_PHP] = "[PHP function]",
	};

	if (!n->made[what])
		n->made[what] = tell(n, NULL, 0, 0, name[what]);
	return n->made[what];
}
