/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/mute_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gnomon/grow.h>
#include "elf/elf_image.h"

/* Computes where the bytes would lie if this mapping starts the file; false:
 * nowhere. */
static bool place(const struct gn_mute_file *f, uint64_t start, uint64_t *table)
{
	uint64_t bias = start - f->head.first, end;

	return start >= f->head.first &&
	       !__builtin_add_overflow(bias, f->table, table) &&
	       !__builtin_add_overflow(*table, f->size, &end);
}

int gn_mute_scan(FILE *f, const struct gn_mute_file *file, uint64_t *base)
{
	uint64_t start = 0, table = 0, done = 0; /* bytes that are covered */
	bool placed = false, ours = false;
	struct gn_mapping m = {0};
	struct gn_maps maps;
	size_t found = 0;
	int got;

	gn_maps_of(&maps, f);
	for (;;) {
		uint64_t before = m.end;

		got = gn_maps_next(&maps, &m);
		if (got <= 0)
			break;
		/* the bytes lie in a mapping of the file or directly behind
		 * one */
		ours = (m.file.ino && gn_file_same(&m.file, &file->id)) ||
		       (ours && !m.file.ino && !m.file.dev &&
			m.start == before);
		if (ours && m.file.ino && !m.offset) {
			start = m.start;
			placed = place(file, start, &table);
			done = 0;
		}
		if (!placed || !ours || !m.read || !m.write || m.shared ||
		    table + done < m.start || table + done >= m.end)
			continue;
		done = file->size < m.end - table ? file->size : m.end - table;
		if (done < file->size)
			continue;
		*base = start;
		placed = false;
		found++;
	}
	gn_maps_done(&maps);
	return got ? got : found == 1 ? 0 : found ? -ENOTUNIQ : -ENOENT;
}

static int check_segments(Elf *elf, const struct gn_mute_file *f)
{
	GElf_Phdr p;

	for (int i = 0; f->size && gelf_getphdr(elf, i, &p); i++)
		if (p.p_type == PT_LOAD && p.p_flags & PF_W &&
		    f->table >= p.p_vaddr && f->table - p.p_vaddr < p.p_memsz &&
		    f->size <= p.p_memsz - (f->table - p.p_vaddr))
			return 0;
	return -ENOEXEC;
}

int gn_mute_file_read(const char *path, struct gn_mute_file *out)
{
	struct gn_image image;
	GElf_Sym sym;
	int err = gn_image_open(path, &image);

	memset(out, 0, sizeof(*out));
	if (err)
		return err;
	err = gn_image_exported(&image, GN_MUTE_SYMBOL, STT_OBJECT, &sym);
	if (!err) {
		out->table = sym.st_value;
		out->size = sym.st_size;
		err = check_segments(image.elf, out);
	}
	if (!err)
		err = gn_elf_head_read(&image, &out->head);
	if (!err)
		err = gn_maps_name(image.fd, &out->id);
	gn_image_close(&image);
	return err;
}

static int open_in(int dir, const char *name, int flags)
{
	int fd = openat(dir, name, flags | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	return fd;
}

/*
 * The kernel lists the mappings a page at a time. A mapping that grew in
 * between is listed again, with the bytes that were listed before. Then this
 * reads the list again.
 */
static int scan_live(FILE *maps, const struct gn_mute_file *file,
		     uint64_t *base)
{
	int err = -EILSEQ;

	for (int i = 0; i < 16 && err == -EILSEQ; i++) {
		/* drop what stdio has buffered */
		fflush(maps);
		rewind(maps);
		err = gn_mute_scan(maps, file, base);
	}
	return err;
}

int gn_mute_process_open(struct gn_mute_process *p, pid_t pid,
			 const struct gn_mute_file *file)
{
	int dir, maps, err;
	uint64_t base = 0;
	char path[32];
	FILE *f;

	memset(p, 0, sizeof(*p));
	p->pid = pid;
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	dir = open_in(AT_FDCWD, path, O_PATH | O_DIRECTORY);
	if (dir < 0)
		return dir;
	p->mem = open_in(dir, "mem", O_RDWR);
	maps = p->mem < 0 ? p->mem : open_in(dir, "maps", O_RDONLY);
	close(dir);
	f = maps < 0 ? NULL : fdopen(maps, "r");
	err = maps < 0 ? maps : f ? scan_live(f, file, &base) : -errno;
	if (f)
		fclose(f);
	else if (maps >= 0)
		close(maps);
	/* meanwhile the process can have executed another program; if the
	 * library's first bytes are there, its last bytes are, too */
	if (!err)
		err = gn_elf_head_check(&file->head, p->mem, base);
	if (err) {
		if (p->mem >= 0)
			close(p->mem);
		p->mem = -1;
		return err;
	}
	p->bytes = base - file->head.first + file->table;
	return 0;
}

static int write_byte(const struct gn_mute_process *p, uint32_t index,
		      uint8_t value)
{
	ssize_t n = pwrite(p->mem, &value, 1, (off_t)(p->bytes + index));

	/* 0: the memory is gone; EIO: the address is not mapped any more */
	return n == 1 ? 0 : n == 0 || errno == EIO ? -ESRCH : -errno;
}

int gn_mute_process_set(struct gn_mute_process *p,
			const struct gn_mute_file *file, uint32_t index)
{
	int err;

	if (!index || index >= file->size)
		return -ERANGE;
	for (size_t i = 0; i < p->nset; i++)
		if (p->set[i] == index)
			return -EALREADY;
	err = gn_grow_by_one(&p->set, &p->room, p->nset, sizeof(*p->set));
	if (err)
		return err;
	err = write_byte(p, index, 1);
	if (!err)
		p->set[p->nset++] = index;
	return err;
}

bool gn_mute_process_lives(const struct gn_mute_process *p)
{
	uint8_t byte;

	return pread(p->mem, &byte, 1, (off_t)p->bytes) == 1;
}

void gn_mute_process_close(struct gn_mute_process *p)
{
	for (size_t i = 0; i < p->nset; i++)
		if (write_byte(p, p->set[i], 0) == -ESRCH)
			break;
	free(p->set);
	if (p->mem >= 0)
		close(p->mem);
	memset(p, 0, sizeof(*p));
	p->mem = -1;
}
