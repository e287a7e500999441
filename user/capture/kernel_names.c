/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/kernel_names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/btf.h>

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"
#define PIECE	   65536
#define NAME_ROOM  64

/*
 * A stretch of the strings. They are looked at piece by piece: all of them
 * would be megabytes of fresh memory. The kernel gives a page a read.
 */
struct piece {
	char at[NAME_ROOM + PIECE];
	size_t n;
};

/* At most `size` bytes from `offset`, behind what is there. */
static int read_behind(int fd, uint64_t offset, size_t size, struct piece *p)
{
	while (size) {
		ssize_t n = pread(fd, p->at + p->n, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENODATA;
		p->n += (size_t)n;
		offset += (uint64_t)n;
		size -= (size_t)n;
	}
	return 0;
}

/* Each string has its NUL, and the first one is empty. */
static bool is_in(const struct piece *p, const char *name)
{
	char whole[NAME_ROOM] = "";
	size_t len = strlen(name);

	if (len + 2 > sizeof(whole))
		return false;
	memcpy(whole + 1, name, len);
	return memmem(p->at, p->n, whole, len + 2) != NULL;
}

static int look(int fd, struct piece *p, struct gn_kernel_name *names, size_t n)
{
	struct btf_header h;
	uint64_t at, end;
	int err = read_behind(fd, 0, sizeof(h), p);

	if (err)
		return err;
	memcpy(&h, p->at, sizeof(h));
	if (h.magic != BTF_MAGIC)
		return -EINVAL;
	at = (uint64_t)h.hdr_len + h.str_off;
	for (p->n = 0, end = at + h.str_len; at < end;) {
		size_t size = end - at < PIECE ? end - at : PIECE;
		size_t kept = p->n < NAME_ROOM ? p->n : NAME_ROOM;

		memmove(p->at, p->at + p->n - kept, kept);
		p->n = kept;
		err = read_behind(fd, at, size, p);
		if (err)
			return err;
		for (size_t i = 0; i < n; i++)
			names[i].known |= is_in(p, names[i].name);
		at += size;
	}
	return 0;
}

int gn_kernel_names(struct gn_kernel_name *names, size_t n)
{
	int fd = open(KERNEL_BTF, O_RDONLY | O_CLOEXEC), err = -ENOMEM;
	struct piece *p;

	if (fd < 0)
		return -errno;
	p = calloc(1, sizeof(*p));
	if (p)
		err = look(fd, p, names, n);
	free(p);
	close(fd);
	return err;
}
