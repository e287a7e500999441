/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes records from the thread of later.c to the session's stream. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/clock.h"
#include "capture/drain.h"
#include "capture/later_parts.h"

/* With the lock held. */
static int append(struct gn_later *l, const struct gn_rec *rec, size_t size)
{
	if (l->out_size + size > l->out_room) {
		size_t room = l->out_room ? l->out_room * 2 : 1 << 16;
		char *out = realloc(l->out, room);

		if (!out)
			return -ENOMEM;
		l->out = out;
		l->out_room = room;
	}
	memcpy(l->out + l->out_size, rec, size);
	l->out_size += size;
	return 0;
}

int gn_later_put(void *later, const struct gn_rec *rec, size_t size)
{
	struct gn_later *l = later;
	int err;

	pthread_mutex_lock(&l->lock);
	err = l->quit ? -ECANCELED : append(l, rec, size);
	pthread_mutex_unlock(&l->lock);
	return err;
}

static struct gn_rec_unprobed unprobed(uint32_t module, pid_t pid,
				       uint64_t since, uint64_t until)
{
	return (struct gn_rec_unprobed){
		.h = {.kind = GN_KIND_UNPROBED, .time = until},
		.module = module,
		.pid = (uint32_t)pid,
		.since = since,
	};
}

static void note_untold(struct gn_later *l, uint64_t since)
{
	if (!l->untold || since < l->untold)
		l->untold = since;
}

void gn_later_put_unprobed(struct gn_later *l, uint32_t module, bool by_path,
			   pid_t pid, uint64_t since, uint64_t until)
{
	struct gn_rec_unprobed r = unprobed(module, pid, since, until);

	if (by_path)
		r.h.flags = GN_F_BY_PATH;
	pthread_mutex_lock(&l->lock);
	if (append(l, &r.h, sizeof(r)))
		note_untold(l, since);
	pthread_mutex_unlock(&l->lock);
}

void gn_later_lose(struct gn_later *l, uint32_t module, uint64_t since)
{
	pthread_mutex_lock(&l->lock);
	l->lost = module > l->lost ? module : l->lost;
	note_untold(l, since);
	pthread_mutex_unlock(&l->lock);
}

void gn_later_tell_untold(struct gn_later *l)
{
	uint32_t last = gn_later_module(l, l->files.count) - 1;

	pthread_mutex_lock(&l->lock);
	if (last < l->lost)
		last = l->lost;
	for (uint32_t m = 1; l->untold && m <= last; m++) {
		struct gn_rec_unprobed r =
			unprobed(m, 0, l->untold, gn_later_until_now(l));

		gn_session_put(l->session, &r.h, sizeof(r));
	}
	l->untold = 0;
	pthread_mutex_unlock(&l->lock);
}

void gn_later_serve(struct gn_later *l)
{
	uint64_t n;

	if (!l)
		return;
	if (read(l->event, &n, sizeof(n)) < 0)
		n = 0; /* nothing waits for it */
	pthread_mutex_lock(&l->lock);
	if (l->mapped && !l->quit)
		gn_later_take_mapped(l);
	for (size_t at = 0; at < l->out_size;) {
		const struct gn_rec_text *r = (const void *)(l->out + at);
		size_t size = r->h.kind == GN_KIND_UNPROBED
				      ? sizeof(struct gn_rec_unprobed)
				      : r->size;

		gn_session_put(l->session, &r->h, size);
		at += size;
	}
	l->out_size = 0;
	pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
}

bool gn_later_await_stream(struct gn_later *l)
{
	uint64_t one = 1;
	bool taken;

	if (write(l->event, &one, sizeof(one)) != sizeof(one))
		return false;
	pthread_mutex_lock(&l->lock);
	while (l->out_size && !l->quit)
		pthread_cond_wait(&l->wake, &l->lock);
	taken = !l->out_size;
	pthread_mutex_unlock(&l->lock);
	return taken;
}

uint32_t gn_later_module(const struct gn_later *l, size_t index)
{
	return (uint32_t)(l->session->files.count + index) + 1;
}

uint64_t gn_later_until_now(const struct gn_later *l)
{
	return l->stopped ? l->stopped : gn_now_ns();
}
