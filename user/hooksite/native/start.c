// SPDX-License-Identifier: BSD-2-Clause
/*
 * The hook-site library of native programs that were built with sleds. The
 * dynamic linker loads it before the program (LD_PRELOAD), and its constructor
 * runs before main().
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gnomon/fast.h>
#include <gnomon/hooksite.h>
#include "hooksite/fast.h"
#include "hooksite/native/patch.h"
#include "hooksite/preload/environment.h"

void gn_site_native_fast(uint64_t what, uint64_t value);
/* The first of the sites of which each gnomon has its own. */
void gn_site_native_lives(void);
void gn_measured_native_enter(uint64_t index, uint64_t sp);
void gn_measured_native_leave(uint64_t index, uint64_t sp);

/* The kernel keeps more than this free below the first stack, whatever the
 * limit of the stack is. */
#define STACK_GROWS (64u << 20)

struct file {
	const char *path;
	const ElfW(Phdr) * phdr;
	size_t nphdr;
};

static struct {
	struct gn_patches patches;
	size_t files;
	struct file *file;
	uint64_t *base;
	struct gn_stubs *stubs;
} sleds;

/* Checks the sizes, and that the last byte is a NUL, which ends the paths. */
static const struct gn_sled_head *map_table(int fd, size_t *size)
{
	const struct gn_sled_head *h;
	struct stat st;

	if (fstat(fd, &st) || st.st_size <= (off_t)sizeof(*h))
		return NULL;
	*size = (size_t)st.st_size;
	h = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (h == MAP_FAILED)
		return NULL;
	if (h->magic == GN_SLEDS_MAGIC && h->entries <= GN_SLEDS_MAX &&
	    h->files < *size && !((const char *)h)[*size - 1] &&
	    *size - sizeof(*h) >=
		    h->entries * sizeof(struct gn_sled_entry) + h->files)
		return h;
	munmap((void *)h, *size);
	return NULL;
}

static bool take_table(const struct gn_sled_head *h, size_t size)
{
	struct gn_sled_entry *entry = (void *)(h + 1);
	const char *path = (const void *)(entry + h->entries);
	const char *end = (const char *)h + size;

	sleds.files = h->files;
	sleds.file = calloc(h->files, sizeof(*sleds.file));
	sleds.base = calloc(h->files, sizeof(*sleds.base));
	sleds.stubs = calloc(h->files * GN_SLED_FORMS, sizeof(*sleds.stubs));
	if (!sleds.file || !sleds.base || !sleds.stubs)
		return false;
	for (size_t i = 0; i < h->files && path < end; i++) {
		sleds.file[i].path = path;
		path += strlen(path) + 1;
	}
	sleds.patches = (struct gn_patches){
		.entry = entry,
		.count = h->entries,
		.base = sleds.base,
		.stubs = sleds.stubs,
	};
	return true;
}

static int note_file(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size, (void)ctx;
	for (size_t i = 0; i < sleds.files; i++) {
		struct file *f = &sleds.file[i];

		if (!f->path || f->phdr || strcmp(f->path, info->dlpi_name))
			continue;
		f->phdr = info->dlpi_phdr;
		f->nphdr = info->dlpi_phnum;
		sleds.base[i] = info->dlpi_addr;
	}
	return 0;
}

static bool in_code(const struct file *f, uint64_t addr)
{
	for (size_t i = 0; i < f->nphdr; i++) {
		const ElfW(Phdr) *p = &f->phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X &&
		    p->p_flags & PF_R && addr >= p->p_vaddr &&
		    addr - p->p_vaddr + GN_SLED_BYTES <= p->p_filesz)
			return true;
	}
	return false;
}

static struct gn_stubs *stubs_of(const struct gn_sled_entry *e)
{
	return &sleds.stubs[e->file * GN_SLED_FORMS + e->form];
}

/* The code is what gnomon read. A trap is accepted only where gnomon has a
 * probe: others are another tracer's. */
static bool is_whole(const struct gn_sled_entry *e)
{
	static const uint8_t trap = 0xcc;
	const uint8_t *code, *want;
	size_t n = GN_SLED_BYTES;

	if (e->file >= sleds.files || e->form > GN_SLED_PROBE ||
	    !in_code(&sleds.file[e->file], e->addr))
		return false;
	code = (const uint8_t *)(sleds.base[e->file] + e->addr);
	if (e->form == GN_SLED_PROBE)
		return *code == e->byte || *code == trap;
	want = gn_sled_bytes(e->form);
	/* the last byte of this nop can be anything */
	n -= e->form == GN_SLED_ENTER_NOP5;
	return (*code == *want || (*code == trap && e->byte)) &&
	       !memcmp(code + 1, want + 1, n - 1);
}

static void skip(struct gn_sled_entry *e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		e[i].form |= GN_SLED_SKIPPED;
}

static size_t of_function(const struct gn_sled_entry *e, size_t n)
{
	size_t k = 1;

	while (k < n && e[k].func == e->func)
		k++;
	return k;
}

static bool for_functions(bool (*each)(struct gn_sled_entry *e, size_t n))
{
	struct gn_sled_entry *e = sleds.patches.entry;
	bool any = false;

	for (size_t i = 0, n; i < sleds.patches.count; i += n) {
		n = of_function(&e[i], sleds.patches.count - i);
		if (e[i].form & GN_SLED_SKIPPED)
			continue;
		if (each(&e[i], n))
			any = true;
		else
			skip(&e[i], n);
	}
	return any;
}

static bool check(struct gn_sled_entry *e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!is_whole(&e[i]))
			return false;
	for (size_t i = 0; i < n; i++) {
		struct gn_stubs *s;

		if (e[i].form == GN_SLED_PROBE)
			continue;
		s = stubs_of(&e[i]);
		s->form = e[i].form;
		s->base = sleds.base[e[i].file];
		if (!s->hi || e[i].addr < s->lo)
			s->lo = e[i].addr;
		if (e[i].addr > s->hi)
			s->hi = e[i].addr;
	}
	return true;
}

static bool put_stubs(struct gn_sled_entry *e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (e[i].form < GN_SLED_FORMS &&
		    (!stubs_of(&e[i])->at ||
		     gn_stubs_put(stubs_of(&e[i]), e[i].addr, e[i].func)))
			return false;
	return true;
}

static bool close_stubs(void)
{
	for (size_t i = 0; i < sleds.files * GN_SLED_FORMS; i++)
		if (sleds.stubs[i].at && gn_stubs_close(&sleds.stubs[i]))
			return false;
	return true;
}

static bool make_stubs(void)
{
	dl_iterate_phdr(note_file, NULL);
	if (!for_functions(check))
		return false;
	for (size_t i = 0; i < sleds.files * GN_SLED_FORMS; i++)
		if (sleds.stubs[i].hi)
			gn_stubs_map(&sleds.stubs[i]);
	return for_functions(put_stubs) && close_stubs();
}

/* Hooks call this: it uses no vector registers and no libc. */
static void end(void)
{
	for (size_t i = 0; i < sleds.files * GN_SLED_FORMS; i++)
		gn_stubs_over(&sleds.stubs[i]);
}

/* The data of the forking thread, if the fork can have interrupted a hook. */
static _Thread_local struct {
	struct gn_fast_own own;
	struct gn_fast_own *at;
} forks;

static void before_fork(void)
{
	struct gn_fast_own *own = gn_fast_interrupted();

	forks.at = own;
	if (own)
		forks.own = *own;
}

static void in_child(void)
{
	if (forks.at)
		gn_fast_end_interrupted(forks.at, &forks.own);
	gn_fast_be_child();
}

static void clear(void)
{
	for (size_t i = 0; i < sleds.files * GN_SLED_FORMS && sleds.stubs; i++)
		gn_stubs_unmap(&sleds.stubs[i]);
	free(sleds.file);
	free(sleds.base);
	free(sleds.stubs);
}

static void start(int fd)
{
	size_t size;
	const struct gn_sled_head *h = map_table(fd, &size);

	close(fd);
	if (!h)
		return;
	if (take_table(h, size) && make_stubs()) {
		gn_fast_on_over(end);
		gn_fast_follow();
		if (gn_fast_start(gn_site_native_fast, gn_measured_native_enter,
				  gn_measured_native_leave)) {
			if (pthread_atfork(before_fork, NULL, in_child) ||
			    gn_patch(&sleds.patches))
				gn_fast_stop();
			return;
		}
	} else {
		gn_site_native_fast(GN_FAST_NONE, GN_FAST_PLACES);
	}
	clear();
	munmap((void *)h, size);
}

/* The descriptor of the table, or -1. Removes what gnomon added to the
 * environment. */
static int take_environment(char **envp)
{
	const char *value = gn_environment_get(envp, GN_SLEDS_ENV);
	unsigned long fd, own;
	char *end;

	if (!value)
		return -1;
	fd = strtoul(value, &end, 10);
	own = strtoul(end, &end, 10);
	if (*end || fd > INT_MAX || own >= GN_SITE_OWN_MOST)
		return -1;
	gn_fast_lives_at(gn_site_own(gn_site_native_lives, own));
	gn_environment_drop(envp, GN_SLEDS_ENV);
	gn_environment_drop_library(envp, GN_SLEDS_LIBRARY);
	return (int)fd;
}

/* glibc passes main()'s arguments to constructors. */
__attribute__((constructor)) static void begin(int argc, char **argv,
					       char **envp)
{
	int err = errno;
	int fd = take_environment(envp);
	uint64_t top = (uintptr_t)envp;

	(void)argc, (void)argv;
	gn_fast_first_stack(top - STACK_GROWS, top);
	if (fd >= 0)
		start(fd);
	errno = err;
}
