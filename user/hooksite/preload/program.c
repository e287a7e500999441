// SPDX-License-Identifier: BSD-2-Clause
#include "hooksite/preload/program.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The libraries are built for this machine's C library. */
#define LOADER "/lib64/ld-linux-x86-64.so.2"

/* What runs programs of Mono (binfmt_misc), by Debian's name. */
#define IMAGES "/usr/bin/cli"
/* What execvp() and shells start for a file of no known format. */
#define SHELL "/bin/sh"

#define HEAD	2048
#define SCRIPTS 5 /* that the kernel starts by another */
#define ENTRIES 128
#define NAME	16
#define CHUNK	4096
#define NOTES	512
/* no linker writes more names; a hostile file could hold the exec up */
#define TEXTS_MOST (8u << 20)

struct head {
	ssize_t size;
	union {
		char text[HEAD + 1];
		Elf64_Ehdr elf;
	};
};

static const Elf64_Phdr *program_headers(const struct head *h)
{
	const Elf64_Ehdr *e = &h->elf;

	if (h->size < (ssize_t)sizeof(*e) ||
	    memcmp(e->e_ident, ELFMAG, SELFMAG) != 0 ||
	    e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_machine != EM_X86_64 ||
	    e->e_phentsize != sizeof(Elf64_Phdr) || e->e_phoff % 8 ||
	    e->e_phoff > HEAD ||
	    e->e_phoff + e->e_phnum * sizeof(Elf64_Phdr) > (size_t)h->size)
		return NULL;
	return (const Elf64_Phdr *)(const void *)(h->text + e->e_phoff);
}

static const Elf64_Phdr *find(const struct head *h, const Elf64_Phdr *all,
			      uint32_t type)
{
	for (int i = 0; i < h->elf.e_phnum; i++)
		if (all[i].p_type == type)
			return &all[i];
	return NULL;
}

static bool has_loader(int fd, const Elf64_Phdr *interp)
{
	char path[sizeof(LOADER)];

	return interp && interp->p_filesz == sizeof(path) &&
	       pread(fd, path, sizeof(path), (off_t)interp->p_offset) ==
		       sizeof(path) &&
	       !memcmp(path, LOADER, sizeof(path));
}

/* Where the file has what is loaded at this address. */
static uint64_t place(const struct head *h, const Elf64_Phdr *all,
		      uint64_t addr)
{
	for (int i = 0; i < h->elf.e_phnum; i++)
		if (all[i].p_type == PT_LOAD && addr >= all[i].p_vaddr &&
		    addr - all[i].p_vaddr < all[i].p_filesz)
			return addr - all[i].p_vaddr + all[i].p_offset;
	return 0;
}

/* What the program needs: its libraries, and names that it imports. */
struct needs {
	uint64_t texts, size; /* in the file; texts 0: there are none */
	bool sanitizer;
	bool others; /* libraries that may start programs */
};

static bool begins(const char *name, const char *const *with)
{
	while (*with && strncmp(name, *with, strlen(*with)) != 0)
		with++;
	return *with;
}

static void note_library(int fd, uint64_t at, struct needs *n)
{
	static const char *const sanitizers[] = {"libasan.so", "libtsan.so",
						 "libhwasan.so", "libclang_rt.",
						 NULL};
	/* those of usual small tools, which start nothing by themselves */
	static const char *const quiet[] = {
		"libc.so.",	 "libm.so.",	"libpthread.so.", "libdl.so.",
		"librt.so.",	 "ld-linux",	"libselinux.so.", "libpcre",
		"libacl.so.",	 "libattr.so.", "libcap.so.",	  "libz.so.",
		"libcrypto.so.", "libgmp.so.",	"libtinfo.so.",	  NULL};
	char name[NAME] = "";

	if (pread(fd, name, sizeof(name) - 1, (off_t)at) < 0)
		return;
	n->sanitizer |= begins(name, sanitizers);
	n->others |= !begins(name, quiet);
}

static struct needs needs_of(int fd, const struct head *h,
			     const Elf64_Phdr *all)
{
	const Elf64_Phdr *dynamic = find(h, all, PT_DYNAMIC);
	struct needs n = {.texts = 0};
	Elf64_Dyn entry[ENTRIES];
	ssize_t count;

	if (!dynamic)
		return n;
	count = pread(fd, entry, sizeof(entry), (off_t)dynamic->p_offset);
	count = count < 0 ? 0 : count / (ssize_t)sizeof(*entry);
	for (ssize_t i = 0; i < count && entry[i].d_tag; i++)
		if (entry[i].d_tag == DT_STRTAB)
			n.texts = place(h, all, entry[i].d_un.d_ptr);
		else if (entry[i].d_tag == DT_STRSZ)
			n.size = entry[i].d_un.d_val;
	for (ssize_t i = 0; i < count && entry[i].d_tag && n.texts; i++)
		if (entry[i].d_tag == DT_NEEDED)
			note_library(fd, n.texts + entry[i].d_un.d_val, &n);
	return n;
}

/* Whether the program imports a function that starts programs, or loads code
 * that may. */
static bool starts_others(int fd, const struct needs *n)
{
	static const char *const words[] = {"exec",  "spawn",  "system",
					    "popen", "dlopen", "syscall"};
	char text[CHUNK + NAME];
	size_t kept = 0;

	if (n->size > TEXTS_MOST)
		return true;
	for (uint64_t at = 0; at < n->size; at += CHUNK) {
		size_t size = n->size - at < CHUNK ? n->size - at : CHUNK;

		if (pread(fd, text + kept, size, (off_t)(n->texts + at)) !=
		    (ssize_t)size)
			return true;
		size += kept;
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (memmem(text, size, words[i], strlen(words[i])))
				return true;
		/* a word can lie across two chunks */
		kept = size < NAME ? size : NAME;
		memmove(text, text + size - kept, kept);
	}
	return false;
}

/* Whether the program is written in Go: it starts others past the C library. */
static bool is_go(int fd, const struct head *h, const Elf64_Phdr *all)
{
	/* the type and the owner of the note with its build's id */
	static const char mark[] = {4, 0, 0, 0, 'G', 'o', 0, 0};
	char notes[NOTES];

	for (int i = 0; i < h->elf.e_phnum; i++) {
		size_t size = all[i].p_filesz;
		ssize_t n;

		if (all[i].p_type != PT_NOTE)
			continue;
		n = pread(fd, notes, size < NOTES ? size : NOTES,
			  (off_t)all[i].p_offset);
		if (n > 0 && memmem(notes, (size_t)n, mark, sizeof(mark)))
			return true;
	}
	return false;
}

/* The dynamic linker loads nothing by path into such programs. Who owns the
 * file gets no privileges by it, and root none by its capabilities. */
static bool is_privileged(int fd, uid_t uid)
{
	struct stat st;

	return fstat(fd, &st) || st.st_mode & S_ISGID ||
	       (st.st_mode & S_ISUID && st.st_uid != uid) ||
	       (uid && fgetxattr(fd, "security.capability", NULL, 0) > 0);
}

static enum gn_program_fit fit(int fd, const struct head *h, uid_t uid)
{
	const Elf64_Phdr *all = program_headers(h);
	struct needs needs;

	if (!all || !has_loader(fd, find(h, all, PT_INTERP)) ||
	    is_go(fd, h, all))
		return GN_PROGRAM_FOREIGN;
	if (is_privileged(fd, uid))
		return GN_PROGRAM_PRIVILEGED;
	needs = needs_of(fd, h, all);
	if (needs.sanitizer)
		return GN_PROGRAM_SANITIZED;
	return !needs.texts || needs.others || starts_others(fd, &needs)
		       ? GN_PROGRAM_FITS
		       : GN_PROGRAM_ALONE;
}

/* What starts instead of this file; NULL: the file itself. */
static const char *instead(struct head *h)
{
	char *at = h->text + 2;

	if (!strncmp(h->text, ELFMAG, SELFMAG))
		return NULL;
	if (!strncmp(h->text, "MZ", 2))
		return IMAGES;
	if (strncmp(h->text, "#!", 2) != 0)
		return SHELL;
	at += strspn(at, " \t");
	at[strcspn(at, " \t\n")] = '\0';
	return at;
}

/* Opens what the kernel starts for this path, and reads its head. */
static int open_program(const char *path, struct head *h)
{
	for (int i = 0; i <= SCRIPTS; i++) {
		int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

		if (fd < 0)
			return fd;
		h->size = pread(fd, h->text, HEAD, 0);
		h->text[h->size > 0 ? h->size : 0] = '\0';
		path = instead(h);
		if (!path)
			return fd;
		close(fd);
	}
	return -1;
}

int gn_program_open(const char *path)
{
	struct head h = {.size = 0};

	return open_program(path, &h);
}

enum gn_program_fit gn_program_fit(const char *path, uid_t uid)
{
	struct head h = {.size = 0};
	int fd = open_program(path, &h);
	enum gn_program_fit is = GN_PROGRAM_FOREIGN;

	if (fd >= 0) {
		is = fit(fd, &h, uid);
		close(fd);
	}
	return is;
}
