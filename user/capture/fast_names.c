/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the names that a process tells (struct gn_fast_name). */
#include "capture/fast_parts.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "capture/drain.h"

/* Copies it: it can change while we look. */
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

/* False: no hook writes that. */
static bool take_name(const struct gn_fast_area *a, struct name *n)
{
	uint32_t left = a->names - a->named, pos = a->named;
	struct gn_fast_name *h = &n->head;

	if (left > GN_FAST_NAMES || left < sizeof(*h))
		return false;
	take_bytes(a, pos, h, sizeof(*h));
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

/* Its names are not read any more: they fill their ring, and come by the
 * kernel. */
static void be_hostile(struct gn_fast *f, struct gn_fast_entry *e,
		       struct gn_fast_area *a)
{
	f->facts.counts.hostile++;
	a->nameless = true;
	gn_fast_thread_lose(&e->t, 1);
}

static int put(struct gn_fast *f, struct gn_fast_entry *e,
	       const struct gn_fast_area *a, const struct name *n)
{
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

int gn_fast_put_names(struct gn_fast *f, struct gn_fast_entry *e,
		      struct gn_fast_area *a)
{
	struct name n;
	int err = 0;

	while (!err && !a->nameless && a->named != a->names) {
		if (!take_name(a, &n)) {
			be_hostile(f, e, a);
			break;
		}
		a->named += n.head.size;
		atomic_store_explicit(&a->rings[0].tail, a->named,
				      memory_order_release);
		err = put(f, e, a, &n);
		if (!err && gn_fast_is_enough(f))
			err = 1;
	}
	return err;
}

static uint32_t func_of(const struct gn_rec *rec)
{
	if (rec->kind == GN_KIND_EVENT)
		return ((const struct gn_rec_event *)rec)->func;
	return rec->kind <= GN_KIND_UNWIND_END
		       ? ((const struct gn_rec_func *)rec)->func
		       : 0;
}

/* What a process told before its own begin is known would be another program's
 * names. */
int gn_fast_put_names_before(struct gn_fast *f, struct gn_fast_entry *e,
			     const struct gn_rec *rec)
{
	int err = 0;

	if (!GN_FUNC_INDEX(func_of(rec)))
		return 0;
	for (struct gn_fast_area *a = f->areas; a && !err; a = a->next)
		if (a->known)
			err = gn_fast_put_names(f, e, a);
	return err;
}
