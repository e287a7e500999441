/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that wait until what they start has its probes. */
#include "capture/later_parts.h"

void gn_later_pass(struct gn_later *l, struct gn_later_news *n)
{
	struct gn_file file = {
		.path = n->path, .fd = n->fd, .id = n->file, .program = true};

	gn_later_take_program(l, &file, n);
	n->path = file.path;
	n->fd = file.fd;
	gn_later_link(l, n->pid);
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
