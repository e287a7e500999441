/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Emits names of functions that a runtime announces once, also when the ring
 * has no room at that moment. */
#ifndef GNOMON_NAMES_BPF_H
#define GNOMON_NAMES_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>

#include <gnomon/event.h>

#include "emit.bpf.h"
#include "maps.bpf.h"

#define GN_NAME_REC \
	(sizeof(struct gn_rec_text) + GN_SENT_NAME_MAX + GN_SENT_MODULE_MAX)

/* False: the ring has no room. Each text has a fixed place in the record; user
 * space packs it. */
static __always_inline bool send_name(struct gn_task *t, __u64 time, __u32 tgid,
				      __u32 func, const struct gn_unsent *u)
{
	__u32 len = u->name_len, mod = u->module_len;
	struct gn_rec_text *r;

	/* the verifier tracks registers: test the one that is used */
	barrier_var(len);
	barrier_var(mod);
	if (len > GN_SENT_NAME_MAX)
		len = GN_SENT_NAME_MAX;
	if (mod > GN_SENT_MODULE_MAX)
		mod = GN_SENT_MODULE_MAX;
	r = bpf_ringbuf_reserve(&ring, GN_NAME_REC, 0);
	if (!r)
		return false;
	t->seq++;
	fill(&r->h, time, t, t->seq, GN_KIND_NAME, 0, u->key);
	r->size = GN_NAME_REC;
	r->id = func;
	r->ref = tgid;
	r->len[0] = len;
	r->len[1] = mod;
	if (bpf_probe_read_user(r->text, len, (void *)u->name) ||
	    bpf_probe_read_user(r->text + GN_SENT_NAME_MAX, mod,
				(void *)u->module)) {
		r->len[0] = 0;
		r->len[1] = 0;
		count(GN_COUNTER_BAD_READ);
	}
	submit(r);
	return true;
}

/* Remembers where the name is until the function is called next, or its process
 * ends (life.bpf.h). */
static __always_inline void keep_unsent(const struct gn_unsent_key *k,
					const struct gn_unsent *u)
{
	__sync_fetch_and_add(&control.unsent, 1);
	if (!bpf_map_update_elem(&unsent, k, u, BPF_NOEXIST))
		return;
	__sync_fetch_and_sub(&control.unsent, 1);
	/* the map is full and this name is lost, or the id had a name that was
	 * not sent yet, and that one is lost */
	count(GN_COUNTER_RING_FULL);
	bpf_map_update_elem(&unsent, k, u, BPF_EXIST);
}

/* Tries again with a name that had no room. */
static __noinline int send_unsent(struct gn_task *t, __u32 func)
{
	struct gn_unsent_key k;
	struct gn_unsent *u, copy;

	if (!t)
		return 0;
	k.tgid = tgid_of(bpf_get_current_task_btf());
	k.func = func;
	u = bpf_map_lookup_elem(&unsent, &k);
	if (!u)
		return 0;
	copy = *u;
	if (!send_name(t, bpf_ktime_get_ns(), k.tgid, func, &copy))
		return 0;
	if (!bpf_map_delete_elem(&unsent, &k))
		__sync_fetch_and_sub(&control.unsent, 1);
	return 0;
}

#endif
