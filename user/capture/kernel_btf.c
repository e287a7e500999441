/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/kernel_btf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <linux/btf.h>

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"
#define NAME_ROOM  64

static int copy(struct gn_kernel_btf *b, int fd)
{
	size_t got = 0;

	b->file = malloc(b->size);
	if (!b->file)
		return -ENOMEM;
	while (got < b->size) {
		ssize_t n = read(fd, (char *)b->file + got, b->size - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENODATA;
		got += (size_t)n;
	}
	return 0;
}

static int get(struct gn_kernel_btf *b, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	b->size = (size_t)st.st_size;
	b->file = mmap(NULL, b->size, PROT_READ, MAP_PRIVATE, fd, 0);
	b->mapped = b->file != MAP_FAILED;
	if (b->mapped)
		return 0;
	b->file = NULL;
	return copy(b, fd);
}

static int find_parts(struct gn_kernel_btf *b)
{
	const struct btf_header *h = b->file;
	uint64_t types, strings;

	if (b->size < sizeof(*h) || h->magic != BTF_MAGIC)
		return -EINVAL;
	types = (uint64_t)h->hdr_len + h->type_off;
	strings = (uint64_t)h->hdr_len + h->str_off;
	if (types % 4 || types + h->type_len > b->size ||
	    strings + h->str_len > b->size || !h->str_len)
		return -EINVAL;
	b->types = (const char *)b->file + types;
	b->types_size = h->type_len;
	b->strings = (const char *)b->file + strings;
	b->strings_size = h->str_len;
	return b->strings[b->strings_size - 1] ? -EINVAL : 0;
}

const char *gn_kernel_btf_advice(void)
{
	if (!access(KERNEL_BTF, R_OK))
		return NULL;
	/* a chroot, say */
	return access("/sys/kernel", F_OK)
		       ? "mount /sys here (mount -t sysfs sysfs /sys)"
		       : "boot a kernel with CONFIG_DEBUG_INFO_BTF";
}

int gn_kernel_btf_error(int err)
{
	struct btf *btf;

	if (err != -ESRCH)
		return err;
	btf = btf__parse(KERNEL_BTF, NULL);
	if (!btf && errno == ENOMEM)
		err = -ENOMEM;
	btf__free(btf);
	return err;
}

int gn_kernel_btf_open(struct gn_kernel_btf *b)
{
	int fd = open(KERNEL_BTF, O_RDONLY | O_CLOEXEC), err;

	*b = (struct gn_kernel_btf){.file = NULL};
	if (fd < 0)
		return -errno;
	err = get(b, fd);
	close(fd);
	if (!err)
		err = find_parts(b);
	if (err)
		gn_kernel_btf_close(b);
	return err;
}

void gn_kernel_btf_close(struct gn_kernel_btf *b)
{
	if (b->mapped)
		munmap(b->file, b->size);
	else
		free(b->file);
	*b = (struct gn_kernel_btf){.file = NULL};
}

bool gn_kernel_btf_names(const struct gn_kernel_btf *b, const char *name)
{
	char whole[NAME_ROOM] = "";
	size_t len = strlen(name);

	if (len + 2 > sizeof(whole))
		return false;
	/* with the NUL that ends the string before */
	memcpy(whole + 1, name, len);
	return memmem(b->strings, b->strings_size, whole, len + 2) != NULL;
}

/* How many bytes follow the type itself; -1: its kind is not known. */
static int64_t size_behind(const struct btf_type *t)
{
	int64_t n = btf_vlen(t);

	switch (btf_kind(t)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return n * (int64_t)sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return n * (int64_t)sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return n * (int64_t)sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return n * (int64_t)sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return n * (int64_t)sizeof(struct btf_var_secinfo);
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	default:
		return -1;
	}
}

int gn_kernel_btf_walk(const struct gn_kernel_btf *b,
		       bool (*each)(void *ctx, uint32_t id,
				    const struct btf_type *t),
		       void *ctx)
{
	size_t left = b->types_size;
	const char *at = b->types;

	for (uint32_t id = 1; left; id++) {
		const struct btf_type *t = (const void *)at;
		int64_t behind = left < sizeof(*t) ? -1 : size_behind(t);

		if (behind < 0 || (uint64_t)behind > left - sizeof(*t))
			return -EINVAL;
		if (!each(ctx, id, t))
			return 0;
		at += sizeof(*t) + (size_t)behind;
		left -= sizeof(*t) + (size_t)behind;
	}
	return 0;
}

struct search {
	const struct gn_kernel_btf *b;
	struct gn_kernel_type *types;
	size_t n;
};

static bool is_sought(void *ctx, uint32_t id, const struct btf_type *t)
{
	const struct search *s = ctx;
	const char *name = s->b->strings + t->name_off;

	if (t->name_off >= s->b->strings_size)
		return true;
	for (size_t i = 0; i < s->n; i++) {
		struct gn_kernel_type *sought = &s->types[i];

		if (!sought->id && sought->kind == btf_kind(t) &&
		    *name == *sought->name && !strcmp(name, sought->name)) {
			sought->id = id;
			sought->at = t;
		}
	}
	return true;
}

void gn_kernel_btf_find(const struct gn_kernel_btf *b,
			struct gn_kernel_type *types, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		types[i].id = 0;
		types[i].at = NULL;
	}
	gn_kernel_btf_walk(b, is_sought, &(struct search){b, types, n});
}

int64_t gn_kernel_type_offset(const struct gn_kernel_type *section,
			      const struct gn_kernel_type *variable)
{
	const struct btf_var_secinfo *at;

	if (!section->id || !variable->id)
		return -1;
	at = btf_var_secinfos(section->at);
	for (uint32_t i = 0; i < btf_vlen(section->at); i++)
		if (at[i].type == variable->id)
			return at[i].offset;
	return -1;
}
