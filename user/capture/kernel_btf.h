/* SPDX-License-Identifier: BSD-2-Clause */
/* The running kernel's BTF, as it is in /sys/kernel/btf/vmlinux. */
#ifndef GNOMON_CAPTURE_KERNEL_BTF_H
#define GNOMON_CAPTURE_KERNEL_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf;
struct btf_type;

struct gn_kernel_btf {
	void *file;
	size_t size;
	bool mapped; /* before 6.16 the file can only be read */
	const char *types;
	size_t types_size;
	const char *strings; /* each has its NUL, and the first one is empty */
	size_t strings_size;
};

/* What to do to get it; NULL: it can be read. */
const char *gn_kernel_btf_advice(void);

/* What an error of libbpf means: it says -ESRCH also where there is no memory
 * for the kernel's BTF. Then -ENOMEM. */
int gn_kernel_btf_error(int err);

/* <0: there is none. */
int gn_kernel_btf_open(struct gn_kernel_btf *b);
void gn_kernel_btf_close(struct gn_kernel_btf *b);

/* Whether the kernel has a function, type or member of that name. */
bool gn_kernel_btf_names(const struct gn_kernel_btf *b, const char *name);

/* Calls `each` for all types in the order of their ids, until it returns false.
 * <0: one is of an unknown kind. */
int gn_kernel_btf_walk(const struct gn_kernel_btf *b,
		       bool (*each)(void *ctx, uint32_t id,
				    const struct btf_type *t),
		       void *ctx);

/* A type to find by its kind (BTF_KIND_..) and name. */
struct gn_kernel_type {
	uint32_t kind;
	const char *name;
	uint32_t id;		   /* 0: there is none */
	const struct btf_type *at; /* in the BTF, valid until that is closed */
};

/* Sets their ids and places. */
void gn_kernel_btf_find(const struct gn_kernel_btf *b,
			struct gn_kernel_type *types, size_t n);

/* Where a variable is in its section; -1: there is none. */
int64_t gn_kernel_type_offset(const struct gn_kernel_type *section,
			      const struct gn_kernel_type *variable);

/*
 * Writes to `fd` BTF with the kernel's types that have the name of a type in
 * `own`, and the types that they contain. libbpf compares each type of `own`
 * with all types that it is given, which takes longer than the rest of a load.
 * Types behind pointers are left out: libbpf does not compare them. <0: -errno.
 */
int gn_kernel_btf_reduce(const struct gn_kernel_btf *b, const struct btf *own,
			 int fd);

#endif
