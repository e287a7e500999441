/* SPDX-License-Identifier: BSD-2-Clause */
#include "bare.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include <bpf/libbpf.h>

#include "bare.skel.h"
#include "capture/attach.h"

struct bare {
	struct bare_bpf *skel;
	struct gn_links *links;
	struct ring_buffer *ring;
	pthread_t consumer;
	uint64_t records;
	atomic_bool ending;
};

static int on_record(void *ctx, void *data, size_t size)
{
	struct bare *b = ctx;

	(void)data;
	(void)size;
	b->records++;
	return 0;
}

static void *consume(void *arg)
{
	const struct timespec rest = {.tv_nsec = 5000000};
	struct bare *b = arg;

	while (!b->ending) {
		ring_buffer__consume(b->ring);
		nanosleep(&rest, NULL);
	}
	return NULL;
}

static void bare_free(struct bare *b)
{
	gn_links_free(b->links, NULL);
	ring_buffer__free(b->ring);
	bare_bpf__destroy(b->skel);
	free(b);
}

static int attach(struct bare *b, const struct bare_sites *sites)
{
	static const uint64_t cookies[2];
	size_t refused = 0;
	struct gn_probe_set set = {
		.path = sites->path,
		.offsets = sites->offset,
		.cookies = cookies,
		.count = sites->count,
	};
	bool session = sites->count == 1;
	int err;

	b->skel = bare_bpf__open();
	if (!b->skel)
		return -errno;
	bpf_program__set_expected_attach_type(
		b->skel->progs.bare,
		(enum bpf_attach_type)(session ? GN_TRACE_UPROBE_SESSION
					       : GN_TRACE_UPROBE_MULTI));
	bpf_program__set_autoload(b->skel->progs.nothing, false);
	err = bare_bpf__load(b->skel);
	if (err)
		return err;
	b->ring = ring_buffer__new(bpf_map__fd(b->skel->maps.ring), on_record,
				   b, NULL);
	if (!b->ring)
		return -errno;
	set.prog = b->skel->progs.bare;
	err = gn_links_add(b->links,
			   session ? GN_ATTACH_SESSION : GN_ATTACH_MULTI, &set,
			   &refused);
	return err ? err : refused ? -EOPNOTSUPP : 0;
}

int bare_start(const struct bare_sites *sites, struct bare **out)
{
	struct bare *b = calloc(1, sizeof(*b));
	int err;

	if (!b)
		return -ENOMEM;
	b->links = gn_links_new();
	err = b->links ? attach(b, sites) : -ENOMEM;
	if (!err)
		err = -pthread_create(&b->consumer, NULL, consume, b);
	if (err)
		bare_free(b);
	else
		*out = b;
	return err;
}

int bare_stop(struct bare *b, uint64_t *records)
{
	int err;

	b->ending = true;
	pthread_join(b->consumer, NULL);
	ring_buffer__consume(b->ring);
	if (records)
		*records = b->records;
	err = b->skel->bss->lost ? -ENOBUFS : 0;
	bare_free(b);
	return err;
}
