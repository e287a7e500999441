/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects the records that a test of threads' own records takes, up to a
 * limit. Include after cmocka.h. */
#ifndef GNOMON_TESTS_FAST_TAKEN_H
#define GNOMON_TESTS_FAST_TAKEN_H

#include <string.h>

#include "capture/fast.h"

#define TID 7
#define MAX 64

struct taken {
	union {
		struct gn_rec h;
		struct gn_rec_func f;
		struct gn_rec_slice s;
		struct gn_rec_os_ns w;
		unsigned char room[64];
	} rec[MAX];
	size_t n, all;
	size_t plain; /* of the thread's own records */
	uint32_t seq;
	uint64_t time;	/* of the last record that ended an interval */
	size_t settled; /* how often the kernel's records were asked for */
	bool back;	/* time or numbers went backwards */
	bool full;	/* the sink takes only a few at a time */
};

static inline int take(void *ctx, const struct gn_rec *rec, size_t size)
{
	struct taken *t = ctx;

	assert_in_range(size, sizeof(*rec), sizeof(t->rec[0]));
	if (rec->tid == TID && rec->seq && rec->kind != GN_KIND_SLICE) {
		t->back |= rec->seq <= t->seq;
		t->seq = rec->seq;
	}
	if (rec->tid == TID && rec->kind <= GN_KIND_PASSED) {
		t->back |= rec->time < t->time;
		t->time = rec->time;
	}
	t->all++;
	if (t->n < MAX)
		memcpy(&t->rec[t->n++], rec, size);
	return 0;
}

#endif
