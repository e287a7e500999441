/* SPDX-License-Identifier: BSD-2-Clause */
#include "gnomon_vmlinux.h"

#include "mappings.h"

#define SLOTS (2 * MAPPINGS_MAX + 1) /* and the gaps between mappings */

struct range {
	__u64 end, entry;
};

static struct {
	struct mm_struct mm, other;
	struct vm_area_struct vma[MAPPINGS_MAX];
	struct range range[SLOTS];
	size_t nvma, nranges, nnodes;
	struct {
		__u64 word[32];
	} node[SLOTS] __attribute__((aligned(256)));
} world;

static void add_range(__u64 end, __u64 entry)
{
	world.range[world.nranges++] = (struct range){end, entry};
}

/* Returns a node with these ranges. The end of its last range is implied by the
 * node above. It is stored if there is room, unless `open`. */
static __u64 make_node(const struct range *r, size_t n, enum maple_type type,
		       int open)
{
	__u64 *word = world.node[world.nnodes++].word;
	size_t ends = type == maple_arange_64 ? 9 : 15;

	for (size_t i = 0; i < n; i++) {
		if (i < ends && !(open && i + 1 == n))
			word[1 + i] = r[i].end;
		word[1 + ends + i] = r[i].entry;
	}
	return (__u64)(unsigned long)word | (__u64)type << 3;
}

/* Puts the ranges into nodes, which become the ranges of the level above. */
static void make_level(enum maple_type type, size_t fan, int open)
{
	size_t most = type == maple_arange_64 ? 10 : 16, n = 0, take;

	if (fan > most)
		fan = most;
	for (size_t i = 0; i < world.nranges; i += take) {
		take = world.nranges - i < fan ? world.nranges - i : fan;
		world.range[n].entry =
			make_node(&world.range[i], take, type, open);
		world.range[n++].end = world.range[i + take - 1].end;
	}
	world.nranges = n;
}

void mappings_set(const struct mapping *m, size_t n, unsigned int fan, int open)
{
	__u64 below = 0;

	if (n > MAPPINGS_MAX || fan < 2)
		__builtin_trap();
	__builtin_memset(&world, 0, sizeof(world));
	for (size_t i = 0; i < n; i++) {
		world.vma[i] = (struct vm_area_struct){
			.vm_start = m[i].lo,
			.vm_end = m[i].hi,
			.vm_mm = &world.mm,
		};
		if (m[i].lo > below)
			add_range(m[i].lo - 1, 0);
		add_range(m[i].hi - 1, (__u64)(unsigned long)&world.vma[i]);
		below = m[i].hi;
	}
	add_range(~0ull, 0);
	world.nvma = n;
	make_level(maple_leaf_64, fan, open);
	while (world.nranges > 1)
		make_level(maple_arange_64, fan, open);
	world.mm.mm_mt.ma_root =
		(void *)(unsigned long)(world.range[0].entry | 2);
}

struct vm_area_struct *mappings_find(uint64_t at)
{
	for (size_t i = 0; i < world.nvma; i++)
		if (at >= world.vma[i].vm_start && at < world.vma[i].vm_end)
			return &world.vma[i];
	return NULL;
}

void mappings_foreign(void)
{
	for (size_t i = 0; i < world.nvma; i++)
		world.vma[i].vm_mm = &world.other;
}

struct mm_struct *mappings_mm(void)
{
	return &world.mm;
}
