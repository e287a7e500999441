/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the function names that a process writes (struct gn_fast_name). */
#include "capture/fast_parts.h"

#include <stdatomic.h>
#include <string.h>

#include "capture/drain.h"

/* Copies the bytes, because the process can change them meanwhile. */
static void take_bytes(const struct gn_fast_area *a, uint32_t pos, void *to,
		       uint32_t n)
{
	const unsigned char *names = a->data + GN_FAST_SLOT - GN_FAST_NAMES;
	uint32_t at = pos % GN_FAST_NAMES;
	uint32_t first = n < GN_FAST_NAMES - at ? n : GN_FAST_NAMES - at;

	memcpy(to, names + at, first);
	memcpy((unsigned char *)to + first, names, n - first);
}

struct name {
	struct gn_fast_name head;
	char text[GN_SENT_NAME_MAX + 1], module[GN_SENT_MODULE_MAX + 1];
};

/* Reads the next name. False: no hook writes such an entry. */
static bool take_name(const struct gn_fast_area *a, struct name *n)
{
	uint32_t left = a->names - a->named, pos = a->named;
	struct gn_fast_name *h = &n->head;

	/* gnomon names native functions itself */
	if (GN_FUNC_RUNTIME(a->runtime) == GN_RUNTIME_NATIVE ||
	    left > GN_FAST_NAMES || left < sizeof(*h))
		return false;
	take_bytes(a, pos, h, sizeof(*h));
	/* the checks below must look at the copy */
	atomic_signal_fence(memory_order_seq_cst);
	pos += (uint32_t)sizeof(*h);
	if (!h->index || h->index > GN_FUNC_INDEX(UINT32_MAX) ||
	    h->len[0] > GN_SENT_NAME_MAX || h->len[1] > GN_SENT_MODULE_MAX ||
	    h->size > left ||
	    h->size != ((sizeof(*h) + h->len[0] + h->len[1] + 7) & ~7u))
		return false;
	take_bytes(a, pos, n->text, h->len[0]);
	n->text[h->len[0]] = '\0';
	take_bytes(a, pos + h->len[0], n->module, h->len[1]);
	n->module[h->len[1]] = '\0';
	return true;
}

/* Reads no more names of the process. Its ring for them then fills up, and the
 * names come from the kernel side. */
static void be_hostile(struct gn_fast *f, struct gn_fast_entry *e)
{
	f->facts.counts.hostile++;
	e->tells->nameless = true;
	gn_fast_thread_lose(&e->t, 1);
}

static int put(struct gn_fast *f, struct gn_fast_entry *e, const struct name *n)
{
	const struct gn_fast_area *a = e->tells;
	_Alignas(8) char buf[GN_TEXT_MAX];
	struct gn_rec *h = (struct gn_rec *)buf;
	size_t size =
		gn_text_record(buf, GN_KIND_NAME, a->runtime | n->head.index,
			       a->pid, n->text, n->module);

	h->key = n->head.token;
	gn_fast_thread_note(&e->t, h);
	f->put += size;
	return f->opts.put(f->opts.ctx, h, size);
}

static bool has_names(const struct gn_fast_area *a)
{
	return a && !a->nameless && a->named != a->names;
}

int gn_fast_put_names(struct gn_fast *f, struct gn_fast_entry *e)
{
	struct gn_fast_area *a = e->tells;
	struct name n;
	int err = 0;

	while (!err && has_names(a)) {
		if (!take_name(a, &n)) {
			be_hostile(f, e);
			break;
		}
		a->named += n.head.size;
		atomic_store_explicit(&a->rings[0].tail, a->named,
				      memory_order_release);
		err = put(f, e, &n);
		if (!err && gn_fast_is_enough(f))
			err = 1;
	}
	return err;
}

int gn_fast_put_all_names(struct gn_fast *f)
{
	int err = 0;

	for (struct gn_fast_area *a = f->areas; a && !err; a = a->next) {
		struct gn_fast_entry *e = has_names(a) ? f->all : NULL;

		while (e && e->tells != a)
			e = e->next_of_all;
		if (e)
			err = gn_fast_put_names(f, e);
	}
	return err;
}
