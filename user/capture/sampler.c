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
	if (s->names)
		err = gn_mapped_new(&s->mapped);
	if (err) {
		gn_sampler_free(s);
		return err;
	}
	*out = s;
	return 0;
}

void gn_sampler_free(struct gn_sampler *s)
{
	if (!s)
		return;
	if (s->mapped)
		gn_mapped_free(s->mapped);
	gn_places_free(&s->places);
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
	p = gn_places_process(&s->places, r->pid);
	if (!p)
		return;
	p->began = r->f.h.time;
	if (from && from != r->pid)
		gn_places_copy(&s->places, p, from);
	else
		read_maps(s, p);
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

/*
 * Names the frames of a sample. A caller's address is that of the instruction
 * after its call, which can be in another function. The kernel follows frame
 * pointers. Code without them leads it astray, so the stack ends at the first
 * address that is not code.
 */
static void put_sample(struct gn_sampler *s, const struct gn_rec_sample *r)
{
	struct {
		struct gn_rec_sample r;
		uint32_t func[GN_SAMPLE_FRAMES + 1];
	} out = {.r = *r};
	const uint64_t *at = (const void *)(r + 1);
	struct gn_place_process *p;

	follow_mapped(s, r->h.time);
	p = gn_places_find(&s->places, r->pid);
	if (p)
		catch_up(s, p);
	for (out.r.frames = 0; out.r.frames < r->frames; out.r.frames++) {
		uint32_t i = out.r.frames;

		out.func[i] = function_at(s, p, at[i] - !!i, r->h.time);
		if (!out.func[i])
			break;
	}
	if (!out.r.frames)
		out.func[out.r.frames++] = nowhere(s, r, p);
	out.r.size = gn_sample_size(out.r.frames);
	s->put(s->ctx, &out.r.h, out.r.size);
}

bool gn_sampler_record(struct gn_sampler *s, const struct gn_rec *rec)
{
	switch (rec->kind) {
	case GN_KIND_SAMPLE:
		put_sample(s, (const void *)rec);
		return true;
	case GN_KIND_THREAD:
		new_thread(s, (const void *)rec);
		break;
	case GN_KIND_EXEC:
		new_program(s, (const void *)rec);
		break;
	case GN_KIND_EXIT:
		gn_places_thread_ends(&s->places, rec->tid);
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
