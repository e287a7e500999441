/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Interns names that come with each hit. The addresses of its texts identify a
 * function until the runtime frees memory of names. After that the texts are
 * read again, and compared by their lengths and a hash of their first bytes.
 */
#ifndef GNOMON_INTERN_BPF_H
#define GNOMON_INTERN_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>

#include <gnomon/event.h>
#include <gnomon/hook.h>

#include "emit.bpf.h"
#include "maps.bpf.h"
#include "names.bpf.h"

#define GN_HASHED 256 /* bytes of each text */

struct gn_texts {
	struct gn_texts_key key;
	__u64 lens; /* 16 bits each, then the number of struct gn_spec */
	__u32 forgotten;
	__u32 runtime; /* bits of the function's id */
	__u32 form;
	__u32 pad;
};

static __always_inline __u64 mix(__u64 h, __u64 word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15;
	return h ^ h >> 29;
}

static __always_inline __u64 read_text(char *to, __u64 at, __u32 len, __u64 h)
{
	__u64 *word = (__u64 *)to;
	int i;

	for (i = 0; i < GN_HASHED / 8; i++)
		word[i] = 0;
	if (len && bpf_probe_read_user(to, len, (void *)at))
		count(GN_COUNTER_BAD_READ);
	for (i = 0; i < GN_HASHED / 8; i++)
		h = mix(h, word[i]);
	return h;
}

static __always_inline __u32 part_len(__u64 lens, int i)
{
	__u32 len = lens >> 16 * i & 0xffff;

	/* the verifier tracks registers: test the one that is used */
	barrier_var(len);
	return len > GN_SENT_PART_MAX ? GN_SENT_PART_MAX : len;
}

/* Fills a NAME record with the texts. Returns their hash. */
static __always_inline __u64 read_texts(struct gn_rec_text *r,
					const struct gn_texts *n)
{
	__u64 h = n->lens;

	h = read_text(r->text, n->key.at[0], part_len(n->lens, 0), h);
	h = read_text(r->text + GN_SENT_PART_MAX, n->key.at[1],
		      part_len(n->lens, 1), h);
	return read_text(r->text + 2 * GN_SENT_PART_MAX, n->key.at[2],
			 part_len(n->lens, 2), h);
}

/*
 * Gives an index to texts that are new, or that have changed. Returns 0 if
 * there is no room. The NAME record has its place in the ring before anyone can
 * use the index.
 */
static __always_inline __u32 intern(struct gn_texts *n, __u64 hash)
{
	struct gn_interned *had, new = {
					 .forgotten = n->forgotten,
					 .lens = n->lens,
					 .hash = hash,
				 };

	had = bpf_map_lookup_elem(&interned, &n->key);
	new.index = __sync_fetch_and_add(&control.interned, 1) + 1;
	if (new.index > GN_FUNC_INDEX(~0u) ||
	    bpf_map_update_elem(&interned, &n->key, &new,
				had ? BPF_EXIST : BPF_NOEXIST))
		return 0;
	return new.index;
}

static __noinline __u32 read_name(struct gn_task *t, struct gn_texts *n)
{
	struct gn_interned *had;
	struct gn_rec_text *r;
	__u32 index;
	__u64 hash;

	if (!t || !n)
		return 0;
	r = bpf_ringbuf_reserve(&ring, GN_NAME_REC, 0);
	if (!r) {
		lost();
		return 0;
	}
	hash = read_texts(r, n);
	had = bpf_map_lookup_elem(&interned, &n->key);
	if (had && had->lens == n->lens && had->hash == hash) {
		had->forgotten = n->forgotten;
		bpf_ringbuf_discard(r, GN_RING_FLAGS);
		return had->index;
	}
	index = intern(n, hash);
	if (!index) {
		/* another thread was first, or there is no room */
		bpf_ringbuf_discard(r, GN_RING_FLAGS);
		had = bpf_map_lookup_elem(&interned, &n->key);
		if (had && had->lens == n->lens && had->hash == hash)
			return had->index;
		count(GN_COUNTER_NAMES_FULL);
		return 0;
	}
	t->seq++;
	fill(&r->h, bpf_ktime_get_ns(), t, t->seq, GN_KIND_NAME, GN_F_PARTS,
	     n->lens);
	r->size = GN_NAME_REC;
	r->id = n->runtime | index;
	r->ref = tgid_of(bpf_get_current_task_btf());
	r->len[0] = n->form;
	r->len[1] = n->lens >> 48;
	submit(r);
	return index;
}

static __always_inline struct gn_recent *place_of(const struct gn_texts *n)
{
	__u64 at = n->key.at[0] ^ n->key.at[1] << 16 ^ n->key.at[2] << 32;
	__u32 place = mix(0, at) >> (64 - GN_RECENT_BITS);

	return bpf_map_lookup_elem(&recent, &place);
}

/* Returns 0 if another thread writes meanwhile. */
static __always_inline __u32 recent_index(const struct gn_recent *r,
					  const struct gn_texts *n)
{
	__u32 writes = r->writes, index;

	barrier();
	if (writes & 1 || r->forgotten != n->forgotten || r->lens != n->lens ||
	    r->key.process != n->key.process || r->key.at[0] != n->key.at[0] ||
	    r->key.at[1] != n->key.at[1] || r->key.at[2] != n->key.at[2])
		return 0;
	index = r->index;
	barrier();
	return r->writes == writes ? index : 0;
}

static __always_inline void remember(struct gn_recent *r,
				     const struct gn_texts *n, __u32 index)
{
	__u32 writes = r->writes;

	if (writes & 1 || __sync_val_compare_and_swap(&r->writes, writes,
						      writes + 1) != writes)
		return;
	barrier();
	r->key = n->key;
	r->lens = n->lens;
	r->forgotten = n->forgotten;
	r->index = index;
	barrier();
	r->writes = writes + 2;
}

/* Looks the function up in the map of all functions. */
static __noinline __u32 look_up(struct gn_task *t, struct gn_texts *n)
{
	struct gn_interned *had;
	struct gn_recent *r;
	__u32 index;

	if (!t || !n)
		return 0;
	had = bpf_map_lookup_elem(&interned, &n->key);
	if (had && had->forgotten == n->forgotten && had->lens == n->lens)
		index = had->index;
	else
		index = read_name(t, n);
	r = place_of(n);
	if (r && index)
		remember(r, n, index);
	return index;
}

/* Returns the index of the function that the texts name, or 0. */
static __always_inline __u32 interned_index(struct gn_task *t,
					    struct gn_texts *n)
{
	struct gn_recent *r = place_of(n);
	__u32 index = r ? recent_index(r, n) : 0;

	return index ? index : look_up(t, n);
}

#endif
