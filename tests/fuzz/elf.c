/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An ELF file and its debug file: reads symbols as for a target, and scans and
 * plans its code. An input is flags, the length of the file, the file, and its
 * debug file. Flags repair what would stop a fuzzer: the ELF header, and the
 * checksum after the name in a debug link. A build-id of "abcd" finds the debug
 * file too.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "site/site.h"
#include "elf/elf_internal.h"
#include "elf/notes.h"
#include "elf/sleds.h"
#include "elf/variables.h"
#include "fuzz.h"
#include "mend_elf.h"

#define PLANS_MAX 8

enum { MEND_MAGIC = 1, MEND_LINK = 2, PLAN = 4 };

static const char link_name[] = "x.debug";

/* A folder for the file and its debug files, made once. */
static struct {
	char dir[200];
	char main[232], beside[232], id[264];
} place;

static void remove_place(void)
{
	char path[232];

	unlink(place.id);
	snprintf(path, sizeof(path), "%s/.build-id/ab", place.dir);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/.build-id", place.dir);
	rmdir(path);
	rmdir(place.dir);
}

static void make_place(void)
{
	const char *tmp = getenv("TMPDIR");
	char path[232];

	if (*place.dir)
		return;
	must(snprintf(place.dir, sizeof(place.dir), "%s/gnomon-fuzz-XXXXXX",
		      tmp && *tmp ? tmp : P_tmpdir) < (int)sizeof(place.dir),
	     "the folder's name fits");
	must(mkdtemp(place.dir), "a folder can be made");
	snprintf(place.main, sizeof(place.main), "%s/main", place.dir);
	snprintf(place.beside, sizeof(place.beside), "%s/%s", place.dir,
		 link_name);
	snprintf(path, sizeof(path), "%s/.build-id", place.dir);
	must(!mkdir(path, 0700), "a folder can be made");
	strcat(path, "/ab");
	must(!mkdir(path, 0700), "a folder can be made");
	snprintf(place.id, sizeof(place.id), "%s/cd.debug", path);
	must(!symlink(place.beside, place.id), "a link can be made");
	atexit(remove_place);
}

static void write_file(const char *path, const uint8_t *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	must(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && !close(fd),
	     "a file can be written");
}

/* The checksum comes right after the name here: the name and its NUL take eight
 * bytes, so no padding is needed. */
static void mend_link(uint8_t *bytes, size_t size, const uint8_t *debug,
		      size_t debug_size)
{
	uint8_t *at = memmem(bytes, size, link_name, sizeof(link_name));
	uint32_t crc = (uint32_t)crc32(0, debug, (uInt)debug_size);

	if (at && (size_t)(bytes + size - at) >= sizeof(link_name) + 4)
		memcpy(at + sizeof(link_name), &crc, sizeof(crc));
}

static void check_symbol(const struct gn_elf *elf,
			 const struct gn_elf_symbol *s, uint64_t before)
{
	uint64_t offset;

	must(*s->name && s->demangled, "a symbol has a name and a title");
	must(strlen(s->name) <= GN_ELF_MAX_NAME &&
		     strlen(s->demangled) <= GN_ELF_MAX_TITLE,
	     "names are bounded");
	must(s->addr >= before, "symbols are sorted");
	must(gn_elf_code(elf, s->addr, 1), "a symbol is in code");
	must(!gn_elf_offset(elf, s->addr, &offset) && offset == s->offset,
	     "a symbol has its place in the file");
}

static void check_sorted(const uint64_t *a, size_t n)
{
	for (size_t i = 1; i < n; i++)
		must(a[i - 1] <= a[i], "addresses are sorted");
}

static void check_elf(const struct gn_elf *elf, size_t size)
{
	const struct gn_elf_symbol *all;
	struct gn_elf_section_view view;
	size_t n = gn_elf_symbols(elf, &all);
	const uint64_t *a;

	for (size_t i = 0; i < n; i++)
		check_symbol(elf, &all[i], i ? all[i - 1].addr : 0);
	for (size_t i = 0; gn_elf_text(elf, i, &view); i++)
		must(view.size <= size, "code is in the file");
	n = gn_elf_starts(elf, &a);
	check_sorted(a, n);
	for (size_t i = 0; i < n; i++)
		must(gn_elf_code(elf, a[i], 1), "functions begin in code");
	gn_elf_pointers(elf, &a, &n);
	check_sorted(a, n);
	must(!gn_elf_soname(elf) || strlen(gn_elf_soname(elf)) < size,
	     "the soname is in the file");
	must(strlen(gn_elf_build_id(elf)) <= 128, "a build-id is bounded");
	must(!gn_elf_interp(elf) || strlen(gn_elf_interp(elf)) <= 4096,
	     "the loader's name is bounded");
	gn_elf_mentions(elf, "elsewhere");
}

static void plan_some(struct gn_elf *elf, size_t size)
{
	struct gn_planner *p = gn_planner_new(GN_LEAVE_AUTO);
	const struct gn_elf_symbol *all;
	size_t n = gn_elf_symbols(elf, &all);

	must(p && !gn_planner_scan(p, &elf, 1), "a file can be scanned");
	for (size_t i = 0; i < n && i < PLANS_MAX; i++) {
		struct gn_plan plan;

		must(!gn_planner_plan(p, elf, &all[i], &plan),
		     "a function can be planned");
		must(plan.refused || plan.enter.offset < size,
		     "the site is in the file");
		gn_plan_clear(&plan);
	}
	gn_planner_free(p);
}

static void read_notes(const char *path)
{
	struct gn_notes_left left = {0};
	struct gn_note *notes;
	size_t n;

	if (gn_notes_read(path, &notes, &n, &left))
		return;
	must(n, "there are notes, or an error");
	for (size_t i = 0; i < n; i++)
		must(memchr(notes[i].provider, 0, sizeof(notes[i].provider)) &&
			     memchr(notes[i].name, 0, sizeof(notes[i].name)) &&
			     memchr(notes[i].args, 0, sizeof(notes[i].args)),
		     "the texts of a note have an end");
	free(notes);
}

static void read_variables(const char *path)
{
	static const char *const names[] = {"DTraceMethodProbes", "a", ""};
	uint64_t addr[3], begin, offset;

	gn_variables(path, names, 3, addr);
	gn_variables_begin(path, &begin, &offset);
}

static void read_sleds(const char *path)
{
	size_t n = 0, broken = 0;
	struct gn_sled *sled;

	if (gn_sleds_read(path, &sled, &n, &broken))
		return;
	must(n + broken, "there are sleds, or an error");
	for (size_t i = 1; i < n; i++)
		must(sled[i - 1].addr <= sled[i].addr, "sleds are in order");
	free(sled);
}

void gn_fuzz(const uint8_t *bytes, size_t size)
{
	struct gn_fuzz_in in = {bytes, size};
	unsigned int flags = (unsigned int)gn_fuzz_take(&in, 1);
	size_t main_size = gn_fuzz_take(&in, 3), debug_size;
	uint8_t *main = gn_fuzz_take_bytes(&in, &main_size), *debug;
	struct gn_elf *elf;

	debug_size = in.left;
	debug = gn_fuzz_take_bytes(&in, &debug_size);
	if (flags & MEND_MAGIC) {
		gn_fuzz_mend_elf(main, main_size);
		gn_fuzz_mend_elf(debug, debug_size);
	}
	if (flags & MEND_LINK)
		mend_link(main, main_size, debug, debug_size);
	make_place();
	write_file(place.main, main, main_size);
	write_file(place.beside, debug, debug_size);
	if (!gn_elf_open_root(place.main, place.main, place.dir, &elf)) {
		check_elf(elf, main_size);
		if (flags & PLAN)
			plan_some(elf, main_size);
		gn_elf_close(elf);
	}
	read_notes(place.main);
	read_sleds(place.main);
	read_variables(place.main);
	unlink(place.main);
	unlink(place.beside);
	free(debug);
	free(main);
}
