/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/kernel_names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/btf.h>

#define KERNEL_BTF  "/sys/kernel/btf/vmlinux"
#define STRINGS_MAX (256u << 20)
#define NAME_ROOM   64

/* The kernel gives a page a read. */
static int read_at(int fd, uint64_t offset, char *to, size_t size)
{
	while (size) {
		ssize_t n = pread(fd, to, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENODATA;
		to += n;
		offset += (uint64_t)n;
		size -= (size_t)n;
	}
	return 0;
}

/* The strings, each with its NUL, the first one empty. */
static int read_strings(int fd, char **out, size_t *size)
{
	struct btf_header h;
	int err = read_at(fd, 0, (char *)&h, sizeof(h));

	if (err)
		return err;
	if (h.magic != BTF_MAGIC || h.str_len > STRINGS_MAX)
		return -EINVAL;
	*size = h.str_len;
	*out = malloc(*size + 1);
	if (!*out)
		return -ENOMEM;
	err = read_at(fd, (uint64_t)h.hdr_len + h.str_off, *out, *size);
	if (err)
		free(*out);
	return err;
}

static bool is_among(const char *strings, size_t size, const char *name)
{
	char whole[NAME_ROOM] = "";
	size_t len = strlen(name);

	if (len + 2 > sizeof(whole))
		return false;
	memcpy(whole + 1, name, len);
	return memmem(strings, size, whole, len + 2) != NULL;
}

int gn_kernel_names(struct gn_kernel_name *names, size_t n)
{
	int fd = open(KERNEL_BTF, O_RDONLY | O_CLOEXEC);
	char *strings = NULL;
	size_t size = 0;
	int err = fd < 0 ? -errno : read_strings(fd, &strings, &size);

	if (fd >= 0)
		close(fd);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		names[i].known = is_among(strings, size, names[i].name);
	free(strings);
	return 0;
}
