/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the mapping that an address of the current thread is in.
 *
 * The kernel's own look-up fails while another thread of the process changes
 * mappings. Then their tree is read without its lock, as newer kernels do at
 * page faults: its nodes are replaced, not changed, and an old node stays in
 * memory for a while. A result counts only if it contains the address and
 * belongs to the process, so an inconsistent tree gives no result, but never a
 * wrong one.
 */
#ifndef GNOMON_MAPPING_BPF_H
#define GNOMON_MAPPING_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

struct gn_range {
	__u64 lo;
	__u64 hi;
};

/* Limit of the tree's depth: with six levels it has more mappings than a
 * process may have. */
#define GN_TREE_LEVELS 8
#define GN_TREE_ENDS   15 /* the maximum per node */

/* A node's address and type, encoded in its parent's entry. The root is
 * marked. */
#define GN_TREE_NODE(entry)    ((entry) & ~0xffull)
#define GN_TREE_TYPE(entry)    ((entry) >> 3 & 0xf)
#define GN_TREE_IS_ROOT(entry) (((entry)&3) == 2)

static __always_inline bool tree_known(void)
{
	return bpf_core_field_exists(((struct mm_struct *)0)->mm_mt) &&
	       bpf_core_type_exists(struct maple_range_64) &&
	       bpf_core_type_exists(struct maple_arange_64);
}

/* Layout of a node: where its range ends are and how many, and where its slots
 * are. There is one more slot, for the range above the last end. */
struct gn_tree_form {
	__u32 ends;
	__u32 nends;
	__u32 slots;
};

static __always_inline void tree_form(struct gn_tree_form *f, __u32 type)
{
	if (type == maple_arange_64) {
		f->ends = bpf_core_field_offset(struct maple_arange_64, pivot);
		f->nends = bpf_core_field_size(struct maple_arange_64, pivot) /
			   sizeof(__u64);
		f->slots = bpf_core_field_offset(struct maple_arange_64, slot);
		return;
	}
	f->ends = bpf_core_field_offset(struct maple_range_64, pivot);
	f->nends = bpf_core_field_size(struct maple_range_64, pivot) /
		   sizeof(__u64);
	f->slots = bpf_core_field_offset(struct maple_range_64, slot);
}

/* Returns the entry of the slot that the address is in; 0 = none. A range end
 * of 0 means that no slot follows. Not static: the kernel verifies it once, not
 * once for each level. */
__noinline __u64 tree_slot(__u64 node, __u32 type, __u64 at)
{
	__u64 end[GN_TREE_ENDS], entry;
	struct gn_tree_form f;
	__u32 i;

	tree_form(&f, type);
	if (bpf_probe_read_kernel(end, sizeof(end), (void *)(node + f.ends)))
		return 0;
	for (i = 0; i < GN_TREE_ENDS; i++)
		if (i >= f.nends || !end[i] || end[i] >= at)
			break;
	if (bpf_probe_read_kernel(&entry, sizeof(entry),
				  (void *)(node + f.slots + i * sizeof(entry))))
		return 0;
	return entry;
}

/* Returns the tree's entry for an address: a mapping's address, 0, or anything
 * if the tree is inconsistent. Not static: see emit_slices(). */
__noinline __u64 tree_at(__u64 at)
{
	struct task_struct *self = bpf_get_current_task_btf();
	__u64 entry;
	__u32 type;
	int i;

	if (!tree_known())
		return 0;
	entry = (__u64)BPF_CORE_READ(self, mm, mm_mt.ma_root);
	if (!GN_TREE_IS_ROOT(entry))
		return 0;
	for (i = 0; i < GN_TREE_LEVELS && entry; i++) {
		type = GN_TREE_TYPE(entry);
		entry = tree_slot(GN_TREE_NODE(entry), type, at);
		if (type == maple_leaf_64)
			return entry;
	}
	return 0;
}

static __always_inline bool read_mapping(struct task_struct *self, __u64 at,
					 struct gn_range *range)
{
	struct vm_area_struct *vma = (void *)tree_at(at);

	if (!vma || BPF_CORE_READ(vma, vm_mm) != BPF_CORE_READ(self, mm))
		return false;
	range->lo = BPF_CORE_READ(vma, vm_start);
	range->hi = BPF_CORE_READ(vma, vm_end);
	return at >= range->lo && at < range->hi;
}

static long take_range(struct task_struct *p, struct vm_area_struct *vma,
		       void *data)
{
	struct gn_range *range = data;

	range->lo = vma->vm_start;
	range->hi = vma->vm_end;
	return 0;
}

static __always_inline bool find_mapping(__u64 at, struct gn_range *range)
{
	struct task_struct *self = bpf_get_current_task_btf();

	range->hi = 0;
	if (!bpf_find_vma(self, at, take_range, range, 0) && range->hi)
		return true;
	return read_mapping(self, at, range);
}

#endif
