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
	__u64 lens; /* as in struct gn_interned */
	__u32 forgotten;
	__u32 runtime; /* bits of the function's id */
	__u32 form;
	__u32 header; /* as in struct gn_spec */
	/* where the address of what is known of the function is, or 0 */
	__u64 function;
	__u32 absent; /* a bit for each text that there is not */
	__u32 unread; /* not all texts could be read */
	__u32 sized;  /* their lengths are in the 8 bytes before them */
	/* a function is left: it had its name when it was entered, and less is
	 * known of it now */
	__u32 named;
};

static __always_inline __u64 mix(__u64 h, __u64 word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15;
	return h ^ h >> 29;
}

static __always_inline __u64 read_text(char *to, struct gn_texts *n, int i,
				       __u32 len, __u64 h)
{
	__u64 *word = (__u64 *)to;
	int k;

	for (k = 0; k < GN_HASHED / 8; k++)
		word[k] = 0;
	if (len && bpf_probe_read_user(to, len, (void *)n->key.at[i])) {
		n->unread = 1;
		if (!n->sized)
			count(GN_COUNTER_BAD_READ);
	}
	for (k = 0; k < GN_HASHED / 8; k++)
		h = mix(h, word[k]);
	return h;
}

static __always_inline __u32 part_len(__u64 lens, int i)
{
	__u32 len = lens >> 16 * i & 0xffff;

	/* the verifier tracks registers: test the one that is used */
	barrier_var(len);
	return len > GN_SENT_PART_MAX ? GN_SENT_PART_MAX : len;
}

/* The lengths of the texts. What is longer than any text is none. */
static __always_inline __u64 lens_of(struct gn_texts *n)
{
	__u64 lens = 0, len;
	int i;

	if (!n->sized)
		return n->lens;
	for (i = 0; i < GN_SPEC_TEXTS; i++) {
		len = 0;
		if (n->absent & 1 << i)
			continue;
		if (bpf_probe_read_user(&len, sizeof(len),
					(void *)(n->key.at[i] - sizeof(len))))
			n->unread = 1;
		lens |= (len > 0xffff ? 0xffff : len) << 16 * i;
	}
	return lens;
}

/* Fills a NAME record with the texts. Returns their hash. */
static __always_inline __u64 read_texts(struct gn_rec_text *r,
					struct gn_texts *n, __u64 lens)
{
	__u64 h = lens;

	h = read_text(r->text, n, 0, part_len(lens, 0), h);
	h = read_text(r->text + GN_SENT_PART_MAX, n, 1, part_len(lens, 1), h);
	return read_text(r->text + 2 * GN_SENT_PART_MAX, n, 2,
			 part_len(lens, 2), h);
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
					 .unread = n->unread,
				 };

	had = bpf_map_lookup_elem(&interned, &n->key);
	new.index = __sync_fetch_and_add(&control.interned, 1) + 1;
	if (new.index > GN_FUNC_INDEX(~0u) ||
	    bpf_map_update_elem(&interned, &n->key, &new,
				had ? BPF_EXIST : BPF_NOEXIST))
		return 0;
	return new.index;
}

#define GN_FUNCTION_WORDS 32

/* The function's line, or the number that came with the texts. */
static __noinline __u32 line_of(const struct gn_texts *n)
{
	__u64 known = 0, word = 0;
	__u32 line = 0;
	int i;

	if (!n)
		return 0;
	if (!n->function ||
	    bpf_probe_read_user(&known, sizeof(known), (void *)n->function))
		return n->key.number;
	for (i = 0; i < GN_FUNCTION_WORDS; i++) {
		known += sizeof(word);
		if (bpf_probe_read_user(&word, sizeof(word),
					(void *)(known - sizeof(word))))
			break;
		if (word == n->key.at[GN_SPEC_TEXTS - 1] - n->header &&
		    !bpf_probe_read_user(&line, sizeof(line), (void *)known))
			return line > 0xffff ? 0 : line;
	}
	return n->key.number;
}

/* Pages of the process that it has not touched yet cannot be read: those of
 * libraries, and of memory that a parent shared with it. A later hit tries
 * again. */
static __always_inline __u32 index_of(struct gn_texts *n, __u64 hash,
				      bool *known)
{
	struct gn_interned *had = bpf_map_lookup_elem(&interned, &n->key);

	*known = false;
	if (!had)
		return intern(n, hash);
	*known = had->lens == n->lens && (had->hash == hash || n->unread);
	if (!*known && !had->unread)
		return intern(n, hash);
	if (!n->unread) {
		had->unread = 0;
		had->hash = hash;
	}
	had->forgotten = n->forgotten;
	return had->index;
}

static __noinline __u32 read_name(struct gn_task *t, struct gn_texts *n)
{
	struct gn_interned *had;
	struct gn_rec_text *r;
	__u64 hash, lens;
	__u32 index;
	bool known;

	if (!t || !n)
		return 0;
	r = bpf_ringbuf_reserve(&ring, GN_NAME_REC, 0);
	if (!r) {
		lost();
		return 0;
	}
	lens = lens_of(n);
	hash = read_texts(r, n, lens);
	index = index_of(n, hash, &known);
	if (!index || known || n->unread) {
		bpf_ringbuf_discard(r, GN_RING_FLAGS);
		if (index)
			return index;
		/* another thread was first, or there is no room */
		had = bpf_map_lookup_elem(&interned, &n->key);
		if (had && had->lens == n->lens && had->hash == hash)
			return had->index;
		count(GN_COUNTER_NAMES_FULL);
		return 0;
	}
	t->seq++;
	fill(&r->h, bpf_ktime_get_ns(), t, t->seq, GN_KIND_NAME, GN_F_PARTS,
	     lens);
	r->size = GN_NAME_REC;
	r->id = n->runtime | index;
	r->ref = tgid_of(bpf_get_current_task_btf());
	r->len[0] = n->form;
	r->len[1] = line_of(n);
	submit(r);
	return index;
}

static __always_inline struct gn_recent *place_of(const struct gn_texts *n)
{
	__u64 at = n->key.at[0] ^ n->key.at[1] << 16 ^ n->key.at[2] << 32 ^
		   n->key.number << 48;
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
	    r->key.at[1] != n->key.at[1] || r->key.at[2] != n->key.at[2] ||
	    r->key.number != n->key.number)
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
	if (had && n->named && !had->unread)
		return had->index;
	if (had && had->forgotten == n->forgotten && had->lens == n->lens &&
	    !had->unread)
		index = had->index;
	else
		index = read_name(t, n);
	r = place_of(n);
	if (r && index && !n->unread)
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
