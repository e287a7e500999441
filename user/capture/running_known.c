/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes with a runtime that already run, and what their libraries
 * report. */
#include "capture/running_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <gnomon/runtime_event_info.h>
#include <gnomon/selected.h>
#include "capture/session_internal.h"
#include "runtime/runtime.h"

size_t gn_running_count(const struct gn_running *r)
{
	return r ? r->count : 0;
}

size_t gn_running_refused(const struct gn_running *r)
{
	return r ? r->refused : 0;
}

int gn_running_add(struct gn_session *s, pid_t pid, const struct gn_runtime *rt)
{
	struct gn_running *r = s->active;
	struct gn_running_process *p;

	if (!r)
		r = s->active = calloc(1, sizeof(*r));
	p = r ? reallocarray(r->process, r->count + 1, sizeof(*p)) : NULL;
	if (!p)
		return -ENOMEM;
	r->process = p;
	p[r->count++] = (struct gn_running_process){.pid = pid, .rt = rt};
	return 0;
}

static size_t count_of(const struct gn_running *r, const struct gn_runtime *rt)
{
	size_t n = 0;

	for (size_t i = 0; r && i < r->count; i++)
		n += rt && r->process[i].rt == rt;
	return n;
}

bool gn_running_has(const struct gn_running *r, const struct gn_runtime *rt)
{
	return count_of(r, rt);
}

bool gn_running_others(const struct gn_running *r, const struct gn_runtime *rt)
{
	return count_of(r, rt) < gn_running_count(r);
}

uint32_t gn_running_untold(const struct gn_running *r, uint32_t families)
{
	uint32_t untold = 0;

	for (size_t i = 0; r && i < r->count; i++)
		untold |= r->process[i].rt->attach->at_start;
	return untold & families;
}

void gn_running_words(uint32_t families, char *to, size_t size)
{
	size_t n = 0;
	const char *text;

	*to = '\0';
	for (uint32_t bit = 0; n < size && (text = gn_family_text(bit)); bit++)
		if (families & 1u << bit)
			n += (size_t)snprintf(to + n, size - n, "%s%s",
					      n ? ", " : "", text);
}

void gn_running_record(struct gn_running *r, const struct gn_rec *rec)
{
	const struct gn_rec_func *f = (const void *)rec;

	r->works |= rec->kind == GN_KIND_RUNTIME;
	if (rec->kind != GN_KIND_SELECTED ||
	    GN_FUNC_INDEX(f->func) != GN_SELECTED_METHODS)
		return;
	r->begun++;
	r->chosen += rec->key;
}

void gn_running_free(struct gn_running *r)
{
	for (size_t i = 0; r && i < r->count; i++)
		r->process[i].rt->attach->close(r->process[i].attached);
	if (r)
		free(r->process);
	free(r);
}
