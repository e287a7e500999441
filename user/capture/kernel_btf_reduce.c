/* SPDX-License-Identifier: BSD-2-Clause */
/* Reduces the kernel's BTF to the types whose names are also in a program's
 * BTF. */
#include "capture/kernel_btf.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <linux/btf.h>

struct name {
	const char *at;
	size_t len; /* without what follows "___" */
};

struct bytes {
	char *at;
	size_t n, room;
	bool failed;
};

struct reduce {
	const struct gn_kernel_btf *kernel;
	struct name *names; /* sorted */
	size_t nnames;
	/* by a name's first byte: a bit for each length modulo 64 */
	uint64_t lengths[256];
	uint32_t *offsets; /* of old types, by id */
	uint32_t ntypes;   /* including void */
	uint32_t *ids;	   /* new id by old id; 0: left out */
	uint32_t *taken;   /* old id by new id */
	uint32_t ntaken;
	struct bytes types, strings;
};

/* To libbpf a type and its flavors ("task_struct___old") are the same. */
static struct name name_of(const char *text)
{
	const char *flavor = strstr(text, "___");

	return (struct name){text,
			     flavor ? (size_t)(flavor - text) : strlen(text)};
}

static int compare(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	size_t len = x->len < y->len ? x->len : y->len;
	int c = memcmp(x->at, y->at, len);

	return c ? c : (x->len > y->len) - (x->len < y->len);
}

static bool has_name(uint32_t kind)
{
	return kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION ||
	       kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64 ||
	       kind == BTF_KIND_TYPEDEF;
}

static int find_names(struct reduce *r, const struct btf *own)
{
	uint32_t n = btf__type_cnt(own);

	r->names = calloc(n, sizeof(*r->names));
	if (!r->names)
		return -ENOMEM;
	for (uint32_t i = 1; i < n; i++) {
		const struct btf_type *t = btf__type_by_id(own, i);
		struct name name =
			name_of(btf__name_by_offset(own, t->name_off));

		if (!has_name(btf_kind(t)) || !name.len)
			continue;
		r->names[r->nnames++] = name;
		r->lengths[(uint8_t)*name.at] |= 1ull << name.len % 64;
	}
	qsort(r->names, r->nnames, sizeof(*r->names), compare);
	return 0;
}

static bool is_named(const struct reduce *r, const struct btf_type *t)
{
	struct name name;

	if (!has_name(btf_kind(t)) || !t->name_off ||
	    t->name_off >= r->kernel->strings_size)
		return false;
	name = name_of(r->kernel->strings + t->name_off);
	return r->lengths[(uint8_t)*name.at] & 1ull << name.len % 64 &&
	       bsearch(&name, r->names, r->nnames, sizeof(name), compare);
}

static const struct btf_type *type_of(const struct reduce *r, uint32_t id)
{
	return (const void *)(r->kernel->types + r->offsets[id]);
}

static int take(struct reduce *r, uint32_t id)
{
	if (id >= r->ntypes)
		return -EINVAL;
	if (id && !r->ids[id]) {
		r->ids[id] = ++r->ntaken;
		r->taken[r->ntaken] = id;
	}
	return 0;
}

static bool find(void *ctx, uint32_t id, const struct btf_type *t)
{
	struct reduce *r = ctx;

	r->offsets[id] = (uint32_t)((const char *)t - r->kernel->types);
	r->ntypes = id + 1;
	if (is_named(r, t))
		take(r, id);
	return true;
}

/* Finds where each type is, and takes those that have a name of ours. */
static int find_types(struct reduce *r)
{
	/* no type is smaller */
	size_t n = r->kernel->types_size / sizeof(struct btf_type) + 1;

	r->offsets = calloc(n, sizeof(*r->offsets));
	r->ids = calloc(n, sizeof(*r->ids));
	r->taken = calloc(n, sizeof(*r->taken));
	if (!r->offsets || !r->ids || !r->taken)
		return -ENOMEM;
	return gn_kernel_btf_walk(r->kernel, find, r);
}

static void put(struct bytes *b, const void *from, size_t n)
{
	size_t room = b->room ? b->room : 4096;
	char *at;

	while (room < b->n + n)
		room *= 2;
	if (room != b->room) {
		at = realloc(b->at, room);
		if (!at) {
			b->failed = true;
			return;
		}
		b->at = at;
		b->room = room;
	}
	memcpy(b->at + b->n, from, n);
	b->n += n;
}

static uint32_t put_name(struct reduce *r, uint32_t offset)
{
	const char *text = r->kernel->strings + offset;
	uint32_t at = (uint32_t)r->strings.n;

	if (!offset || offset >= r->kernel->strings_size)
		return 0;
	put(&r->strings, text, strlen(text) + 1);
	return at;
}

/* Also takes the members' types: that gives them their new ids. */
static int put_members(struct reduce *r, const struct btf_type *t)
{
	const struct btf_member *m = btf_members(t);
	int err = 0;

	for (uint32_t i = 0; !err && i < btf_vlen(t); i++) {
		struct btf_member own = m[i];

		err = take(r, m[i].type);
		if (err)
			return err;
		own.type = r->ids[m[i].type];
		own.name_off = put_name(r, m[i].name_off);
		put(&r->types, &own, sizeof(own));
	}
	return err;
}

static void put_values(struct reduce *r, const struct btf_type *t)
{
	for (uint32_t i = 0; i < btf_vlen(t); i++) {
		if (btf_kind(t) == BTF_KIND_ENUM) {
			struct btf_enum own = btf_enum(t)[i];

			own.name_off = put_name(r, own.name_off);
			put(&r->types, &own, sizeof(own));
		} else {
			struct btf_enum64 own = btf_enum64(t)[i];

			own.name_off = put_name(r, own.name_off);
			put(&r->types, &own, sizeof(own));
		}
	}
}

static int put_array(struct reduce *r, const struct btf_type *t)
{
	struct btf_array own = *btf_array(t);
	int err = take(r, own.type) ?: take(r, own.index_type);

	if (err)
		return err;
	own.type = r->ids[own.type];
	own.index_type = r->ids[own.index_type];
	put(&r->types, &own, sizeof(own));
	return 0;
}

/* Writes a type, of the kinds that a struct or a typedef can lead to. */
static int put_type(struct reduce *r, const struct btf_type *t)
{
	struct btf_type own = *t;
	uint32_t kind = btf_kind(t);
	int err;

	own.name_off = put_name(r, t->name_off);
	if (kind == BTF_KIND_PTR || kind == BTF_KIND_FUNC_PROTO) {
		own.type = 0;
		own.info = kind << 24; /* without parameters */
	} else if (btf_is_mod(t) || kind == BTF_KIND_TYPEDEF ||
		   kind == BTF_KIND_TYPE_TAG) {
		err = take(r, t->type);
		if (err)
			return err;
		own.type = r->ids[t->type];
	}
	put(&r->types, &own, sizeof(own));
	switch (kind) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return put_members(r, t);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		put_values(r, t);
		return 0;
	case BTF_KIND_ARRAY:
		return put_array(r, t);
	default:
		/* an integer has 4 more bytes, others have none */
		put(&r->types, t + 1, kind == BTF_KIND_INT ? 4 : 0);
		return 0;
	}
}

static int write_all(int fd, const void *from, size_t n)
{
	ssize_t done;

	for (const char *at = from; n; at += done, n -= (size_t)done) {
		done = write(fd, at, n);
		if (done < 0 && errno == EINTR)
			done = 0;
		if (done < 0)
			return -errno;
	}
	return 0;
}

static int write_file(const struct reduce *r, int fd)
{
	const struct btf_header h = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(h),
		.type_len = (uint32_t)r->types.n,
		.str_off = (uint32_t)r->types.n,
		.str_len = (uint32_t)r->strings.n,
	};

	if (r->types.failed || r->strings.failed)
		return -ENOMEM;
	return write_all(fd, &h, sizeof(h))
		       ?: write_all(fd, r->types.at, r->types.n)
		       ?: write_all(fd, r->strings.at, r->strings.n);
}

int gn_kernel_btf_reduce(const struct gn_kernel_btf *b, const struct btf *own,
			 int fd)
{
	struct reduce r = {.kernel = b};
	int err = find_names(&r, own) ?: find_types(&r);

	put(&r.strings, "", 1);
	for (uint32_t i = 1; !err && i <= r.ntaken; i++)
		err = put_type(&r, type_of(&r, r.taken[i]));
	if (!err)
		err = write_file(&r, fd);
	free(r.names);
	free(r.offsets);
	free(r.ids);
	free(r.taken);
	free(r.types.at);
	free(r.strings.at);
	return err;
}
