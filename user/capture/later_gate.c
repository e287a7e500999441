/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that wait until what they start has its probes. */
#include "capture/clock.h"
#include "capture/later_parts.h"

/* The record of a new process can come after it asks: how long to wait for it,
 * and between two looks. */
#define KNOWN_AFTER_NS 50000000u
#define LOOK_NS	       2000000u

/* Whether the process is to wait until gnomon knows it, because it needs links
 * of its own. */
static bool is_early(struct gn_later *l, const struct gn_later_news *n)
{
	return l->privates && !gn_later_traced(l, n->pid) &&
	       gn_now_ns() - n->since < KNOWN_AFTER_NS;
}

void gn_later_pass(struct gn_later *l, struct gn_later_news *n)
{
	struct gn_file file = {
		.path = n->path, .fd = n->fd, .id = n->file, .program = true};
	struct gn_later_news again = *n;

	gn_later_take_program(l, &file, n);
	again.path = n->path = file.path;
	again.fd = n->fd = file.fd;
	if (!is_early(l, n)) {
		gn_later_link(l, n->pid);
		return;
	}
	again.due = gn_now_ns() + LOOK_NS;
	n->path = NULL;
	n->fd = n->gate = -1;
	pthread_mutex_lock(&l->lock);
	gn_later_tell(l, &again);
	pthread_mutex_unlock(&l->lock);
}

void gn_later_let_go(struct gn_later *l)
{
	for (size_t i = 0; i < l->nnews; i++)
		if (l->news[i].kind == GN_NEWS_GATE) {
			gn_later_forget(&l->news[i]);
			l->news[i] = (struct gn_later_news){
				.kind = GN_NEWS_GATE, .fd = -1, .gate = -1};
		}
}
