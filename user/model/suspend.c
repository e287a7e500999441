// SPDX-License-Identifier: BSD-2-Clause
#include "model/suspend.h"

#include <errno.h>
#include <stdlib.h>

#include "model/mem.h"

void gn_windows_free(struct gn_windows *ws)
{
	free(ws->at);
	*ws = (struct gn_windows){0};
}

static struct gn_window *find_open(const struct gn_windows *ws,
				   const void *owner)
{
	uint32_t i;

	for (i = 0; ws->open && i < ws->n; i++)
		if (ws->at[i].depth && ws->at[i].owner == owner)
			return &ws->at[i];
	return NULL;
}

static void close_window(struct gn_windows *ws, struct gn_window *w,
			 uint64_t time)
{
	w->depth = 0;
	w->end = time > w->begin ? time : w->begin;
	ws->open--;
	if (w->end > ws->last)
		ws->last = w->end;
}

int gn_windows_begin(struct gn_windows *ws, const void *owner, uint64_t time)
{
	struct gn_window *w = find_open(ws, owner);

	if (w) {
		if (w->depth < UINT32_MAX)
			w->depth++;
		return 0;
	}
	if (ws->n < GN_WINDOWS_MAX) {
		if (gn_grow(&ws->at, &ws->cap, ws->n + 1, sizeof(*ws->at)))
			return -ENOMEM;
		w = &ws->at[ws->n++];
	} else {
		w = &ws->at[ws->oldest];
		ws->oldest = (ws->oldest + 1) % GN_WINDOWS_MAX;
		if (w->depth)
			ws->open--;
	}
	*w = (struct gn_window){.begin = time, .owner = owner, .depth = 1};
	ws->open++;
	return 0;
}

void gn_windows_end(struct gn_windows *ws, const void *owner, uint64_t time,
		    bool all)
{
	struct gn_window *w = find_open(ws, owner);

	if (!w)
		return;
	if (all || w->depth == 1)
		close_window(ws, w, time);
	else
		w->depth--;
}

void gn_windows_collect(struct gn_windows *ws, const void *owner)
{
	uint32_t i;

	for (i = 0; ws->open && i < ws->n; i++)
		if (ws->at[i].depth && (!owner || ws->at[i].owner == owner))
			ws->at[i].collects = true;
}

bool gn_windows_collected(const struct gn_windows *ws, const void *owner,
			  uint64_t time)
{
	uint32_t i;

	for (i = 0; i < ws->n; i++) {
		const struct gn_window *w = &ws->at[i];

		if (w->collects && w->owner == owner && time >= w->begin &&
		    (w->depth || time < w->end))
			return true;
	}
	return false;
}

bool gn_windows_opened(const struct gn_windows *ws, const void *owner)
{
	return find_open(ws, owner);
}

bool gn_windows_owned(const struct gn_windows *ws, const void *owner)
{
	uint32_t i;

	for (i = 0; i < ws->n; i++)
		if (ws->at[i].owner == owner)
			return true;
	return false;
}

void gn_windows_forget(struct gn_windows *ws, const void *owner)
{
	uint32_t i;

	for (i = 0; i < ws->n; i++)
		if (ws->at[i].owner == owner)
			ws->at[i].owner = NULL;
}

uint64_t gn_windows_until(const struct gn_windows *ws, const void *thread,
			  const void *waker, uint64_t start, uint64_t end)
{
	uint64_t until = start;
	uint32_t i;

	if (!waker || waker == thread)
		return start;
	if (!ws->open && start >= ws->last)
		return start;
	for (i = 0; i < ws->n; i++) {
		const struct gn_window *w = &ws->at[i];
		uint64_t over = w->depth ? end : w->end;

		if (w->owner != waker || start < w->begin || start >= over)
			continue;
		if (over > end)
			over = end;
		if (over > until)
			until = over;
	}
	return until;
}

bool gn_windows_hold(const struct gn_windows *ws, const void *thread,
		     uint64_t start)
{
	uint32_t i;

	for (i = 0; ws->open && i < ws->n; i++)
		if (ws->at[i].depth && ws->at[i].owner != thread &&
		    start >= ws->at[i].begin)
			return true;
	return false;
}
