// SPDX-License-Identifier: BSD-2-Clause
#include "capture/sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/clock.h"
#include "capture/sampler_parts.h"
#include "process/ended.h"
#include "process/mapped.h"

/* After mappings were read again, a pause follows that is this many times as
 * long as the reading. */
#define REST 4

struct gn_sampler {
	gn_sampler_put put;
	void *ctx;
	struct gn_mapped *mapped;
	uint32_t losses; /* times that `mapped` reported a loss */
	uint64_t rested; /* when mappings can be read again */
	struct gn_places places;
	struct gn_sampler_names *names;
	struct gn_sampler_functions *functions;
	struct gn_sampler_interpreters interpreters;
};

int gn_sampler_new(gn_sampler_put put, void *ctx, struct gn_sampler **out)
{
	struct gn_sampler *s = calloc(1, sizeof(*s));
	int err = -ENOMEM;

	if (!s)
		return err;
	s->put = put;
	s->ctx = ctx;
	s->names = gn_sampler_names_new(put, ctx);
	s->interpreters.names = s->names;
	if (s->names)
		s->functions = gn_sampler_functions_new(put, ctx, s->names);
	if (s->functions)
		err = gn_mapped_new(&s->mapped);
	if (err) {
		gn_sampler_free(s);
		return err;
	}
	*out = s;
	return 0;
}

void gn_sampler_share(struct gn_sampler *s, struct gn_interpreter *slots,
		      uint32_t *any)
{
	s->interpreters.slots = slots;
	s->interpreters.any = any;
}

uint64_t gn_sampler_count(const struct gn_sampler *s, uint32_t counter)
{
	return gn_interpreters_count(&s->interpreters, counter);
}

void gn_sampler_free(struct gn_sampler *s)
{
	if (!s)
		return;
	if (s->mapped)
		gn_mapped_free(s->mapped);
	gn_places_free(&s->places);
	gn_sampler_functions_free(s->functions);
	gn_sampler_names_free(s->names);
	free(s);
}

static void add_mapping(struct gn_sampler *s, struct gn_place_process *p,
			const struct gn_mapping *m, uint64_t since)
{
	struct gn_place place = {
		.start = m->start,
		.end = m->end,
		.offset = m->offset,
		.since = since,
	};

	/* memory without a file hides what was there, and has no name */
	if (m->file.ino || m->name[0] == '[')
		place.what = gn_sampler_names_module(s->names, p->pid, since,
						     &m->file, m->name);
	gn_interpreters_note(&s->interpreters, p, &place);
	gn_places_add(&s->places, &p->mapped, &place);
}

/* Replaces what is known of the process's mappings by what it has mapped now.
 * If the process has ended, the old mappings stay. */
static void read_maps(struct gn_sampler *s, struct gn_place_process *p)
{
	pid_t living = gn_process_living((pid_t)p->pid);
	struct gn_mapping m;
	struct gn_maps maps;
	bool any = false;

	p->losses = s->losses;
	if (!living || gn_maps_open(&maps, living))
		return;
	for (; gn_maps_next(&maps, &m) > 0; any = true) {
		if (!any)
			gn_places_clear(&s->places, &p->mapped);
		if (m.exec)
			add_mapping(s, p, &m, 0);
	}
	gn_maps_close(&maps);
}

/*
 * If reports of mappings were lost, what is known of the process can be wrong:
 * it is dropped and read again. Each look can bring a loss, and reading can
 * take long. So only processes with samples are read again, and only in a part
 * of the time; in the rest, their samples have no names.
 */
static void catch_up(struct gn_sampler *s, struct gn_place_process *p)
{
	uint64_t begin;

	if (p->losses == s->losses)
		return;
	gn_places_clear(&s->places, &p->mapped);
	begin = gn_now_ns();
	if (begin < s->rested)
		return;
	read_maps(s, p);
	s->rested = gn_now_ns();
	s->rested += (s->rested - begin) * REST;
}

/*
 * Takes what processes have mapped since the last look, up to the time of a
 * record. The kernel reports a mapping before the process can run it. Later
 * mappings wait: they can belong to a process or a program whose record is
 * still to come.
 */
static void follow_mapped(struct gn_sampler *s, uint64_t time)
{
	struct gn_mapped_file f;

	while (gn_mapped_next(s->mapped, time, &f)) {
		struct gn_place_process *p;
		struct gn_mapping m = {
			.start = f.start,
			.end = f.end,
			.offset = f.offset,
			.file = f.file,
			.name = f.path,
		};

		if (!f.pid) {
			s->losses++;
			continue;
		}
		p = gn_places_find(&s->places, (uint32_t)f.pid);
		if (p)
			add_mapping(s, p, &m, f.time);
	}
}

/* A child starts with the memory of its parent. */
static void new_thread(struct gn_sampler *s, const struct gn_rec_thread *r)
{
	uint32_t tid = r->f.h.tid;
	uint32_t from = gn_places_process_of(&s->places, r->parent);
	struct gn_place_process *p = gn_places_find(&s->places, r->pid);

	gn_places_thread(&s->places, tid, r->pid);
	if (p && tid != r->pid)
		return;
	/* catch up with the parent's mappings */
	follow_mapped(s, r->f.h.time);
	if (p && p->ahead) {
		p->ahead = false;
		p->began = r->f.h.time;
		return;
	}
	p = gn_places_process(&s->places, r->pid);
	if (!p)
		return;
	p->began = r->f.h.time;
	if (from && from != r->pid) {
		gn_places_copy(&s->places, p, from);
		gn_interpreters_inherit(&s->interpreters, p,
					gn_places_find(&s->places, from));
	} else {
		gn_interpreters_forget(&s->interpreters, p);
		read_maps(s, p);
	}
}

void gn_sampler_ahead(struct gn_sampler *s, uint32_t pid)
{
	struct gn_place_process *p = gn_places_process(&s->places, pid);

	if (!p)
		return;
	read_maps(s, p);
	p->ahead = true;
}

/*
 * The kernel reports an exec after the program's file and its loader are
 * mapped. If the process has ended already, only what was mapped since it began
 * is known, which includes its old program. That does no harm: the old code
 * does not run.
 */
static void new_program(struct gn_sampler *s, const struct gn_rec_thread *r)
{
	struct gn_place_process *p;

	follow_mapped(s, r->f.h.time);
	p = gn_places_find(&s->places, r->pid)
		    ?: gn_places_process(&s->places, r->pid);
	gn_places_thread(&s->places, r->pid, r->pid);
	if (!p)
		return;
	gn_places_clear(&s->places, &p->code);
	gn_places_after(&s->places, &p->mapped, p->began);
	p->jvm = false;
	p->began = r->f.h.time;
	gn_interpreters_forget(&s->interpreters, p);
	read_maps(s, p);
}

static void new_code(struct gn_sampler *s, const struct gn_rec_func *r)
{
	uint32_t pid = gn_places_process_of(&s->places, r->h.tid);
	struct gn_place_process *p = gn_places_find(&s->places, pid);
	struct gn_place place = {
		.start = r->h.key,
		.end = r->h.key + r->os_ns,
		.what = r->func,
	};

	if (p)
		gn_places_add(&s->places, &p->code, &place);
}

/* The JVM reports where its compiled methods are. Other code that it made
 * belongs to the interpreter. */
static void new_runtime(struct gn_sampler *s, const struct gn_rec_thread *r)
{
	struct gn_place_process *p = gn_places_find(&s->places, r->pid);

	if (p && GN_FUNC_RUNTIME(r->parent) == GN_RUNTIME_HOTSPOT)
		p->jvm = true;
}

/* 0: no code is there. */
static uint32_t function_at(struct gn_sampler *s,
			    const struct gn_place_process *p, uint64_t addr,
			    uint64_t time)
{
	const struct gn_place *at;

	if (!p)
		return 0;
	at = gn_places_at(&p->code, addr, time);
	if (at)
		return at->what;
	at = gn_places_at(&p->mapped, addr, time);
	if (at && at->what)
		return gn_sampler_names_at(s->names, p->pid, at->what,
					   addr - at->start + at->offset);
	return at ? gn_sampler_names_made(s->names, p->jvm ? GN_MADE_INTERPRETED
							   : GN_MADE_UNKNOWN)
		  : 0;
}

/* Names code that is in no mapping. */
static uint32_t nowhere(struct gn_sampler *s, const struct gn_rec_sample *r,
			const struct gn_place_process *p)
{
	bool ended = (!p || !p->mapped.n) && !gn_process_living((pid_t)r->pid);

	return gn_sampler_names_made(s->names,
				     ended ? GN_MADE_ENDED : GN_MADE_UNKNOWN);
}

/* A sample that is named. */
struct named {
	struct gn_rec_sample r;
	uint32_t func[GN_SAMPLE_FRAMES + 1];
};

static void add(struct named *to, uint32_t func)
{
	if (to->r.frames < GN_SAMPLE_FRAMES)
		to->func[to->r.frames++] = func;
}

static const uint64_t *addresses_of(const struct gn_rec_sample *r)
{
	return (const uint64_t *)(r + 1) + (r->pad + 1) / 2;
}

/* The function of a frame; 0: no code is there. A caller's address is that of
 * the instruction after its call, which can be in another function. */
static uint32_t frame_at(struct gn_sampler *s, const struct gn_rec_sample *r,
			 const struct gn_place_process *p, uint32_t i)
{
	return function_at(s, p, addresses_of(r)[i] - !!i, r->h.time);
}

/* The place of the code of a frame, or NULL. */
static const struct gn_place *place_at(const struct gn_rec_sample *r,
				       const struct gn_place_process *p,
				       uint32_t i)
{
	return gn_places_at(&p->mapped, addresses_of(r)[i] - !!i, r->h.time);
}

/* The kernel follows frame pointers. Code without them leads it astray, so the
 * stack ends at the first address that is not code. */
static void add_native(struct gn_sampler *s, const struct gn_rec_sample *r,
		       const struct gn_place_process *p, struct named *to)
{
	for (uint32_t i = 0; i < r->frames; i++) {
		uint32_t func = frame_at(s, r, p, i);

		if (!func)
			break;
		add(to, func);
	}
	if (!to->r.frames)
		add(to, nowhere(s, r, p));
}

/*
 * The native functions that the innermost function of an interpreter calls:
 * those up to the first in the interpreter itself. If the kernel was led astray
 * before that, only the innermost is certain.
 */
static void add_called(struct gn_sampler *s, const struct gn_rec_sample *r,
		       const struct gn_place_process *p, struct named *to)
{
	const uint32_t most = GN_SAMPLE_FRAMES - GN_INTERPRETED_FRAMES - 1;

	for (uint32_t i = 0; i < r->frames && i <= most; i++) {
		const struct gn_place *at = p ? place_at(r, p, i) : NULL;
		uint32_t func;

		if (at && at->what == p->module)
			return;
		func = i < most ? frame_at(s, r, p, i) : 0;
		if (!func && !i)
			func = nowhere(s, r, p);
		if (!func)
			break;
		add(to, func);
	}
	to->r.frames = 1;
}

static void add_interpreted(struct gn_sampler *s, const struct gn_rec_sample *r,
			    const struct gn_place_process *p, struct named *to)
{
	const uint32_t *index = (const void *)(r + 1);
	uint32_t kind = p && p->its ? p->its->its.kind : 0;

	for (uint32_t i = 0; i < r->pad; i++)
		add(to, gn_sampler_functions_at(s->functions, index[i])
				?: gn_sampler_names_made(
					   s->names, GN_MADE_NAMELESS + kind));
	if (r->h.flags & GN_F_INTERPRETED_CUT)
		add(to, gn_sampler_names_made(s->names, GN_MADE_CALLERS));
}

/* Names the frames of a sample. */
static void put_sample(struct gn_sampler *s, const struct gn_rec_sample *r)
{
	struct named out = {.r = *r};
	const struct gn_place *at;
	struct gn_place_process *p;

	follow_mapped(s, r->h.time);
	p = gn_places_find(&s->places, r->pid);
	if (p)
		catch_up(s, p);
	out.r.frames = out.r.pad = 0;
	out.r.h.flags = 0;
	if (r->pad) {
		add_called(s, r, p, &out);
		add_interpreted(s, r, p, &out);
	} else {
		add_native(s, r, p, &out);
	}
	at = p && r->frames ? place_at(r, p, 0) : NULL;
	if (at)
		gn_interpreters_note(&s->interpreters, p, at);
	if (p && !(r->h.flags & GN_F_INTERPRETED))
		gn_interpreters_missed(&s->interpreters, p);
	out.r.size = gn_sample_size(out.r.frames);
	s->put(s->ctx, &out.r.h, out.r.size);
}

/* A process ends with its last thread. */
static void end_thread(struct gn_sampler *s, uint32_t tid)
{
	uint32_t pid = gn_places_process_of(&s->places, tid);
	struct gn_place_process *p;

	gn_places_thread_ends(&s->places, tid);
	p = gn_places_find(&s->places, pid);
	if (p && p->ended)
		gn_interpreters_end(&s->interpreters, pid);
}

bool gn_sampler_record(struct gn_sampler *s, const struct gn_rec *rec)
{
	switch (rec->kind) {
	case GN_KIND_SAMPLE:
		if (rec->flags & GN_F_NAMES_INTERPRETED)
			gn_sampler_functions_name(
				s->functions,
				gn_places_process_of(&s->places, rec->tid),
				(const void *)rec);
		else
			put_sample(s, (const void *)rec);
		return true;
	case GN_KIND_THREAD:
		new_thread(s, (const void *)rec);
		break;
	case GN_KIND_EXEC:
		new_program(s, (const void *)rec);
		break;
	case GN_KIND_EXIT:
		end_thread(s, rec->tid);
		break;
	case GN_KIND_CODE:
		new_code(s, (const void *)rec);
		break;
	case GN_KIND_RUNTIME:
		new_runtime(s, (const void *)rec);
		break;
	default:
		break;
	}
	return false;
}
