// SPDX-License-Identifier: BSD-2-Clause
#include "fast_names.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include <gnomon/fast.h>
#include "fast.h"

#define TRIES 1000 /* for the lock, while another thread writes a name */

static struct gn_fast_ring *positions(struct gn_fast_page *page)
{
	return (void *)((unsigned char *)page + GN_FAST_PAGE);
}

static void put_bytes(struct gn_fast_page *page, uint32_t *pos,
		      const void *bytes, uint32_t n)
{
	unsigned char *names = (unsigned char *)page + GN_FAST_DATA +
			       GN_FAST_SLOT - GN_FAST_NAMES;
	uint32_t at = *pos % GN_FAST_NAMES;
	uint32_t first = n < GN_FAST_NAMES - at ? n : GN_FAST_NAMES - at;

	memcpy(names + at, bytes, first);
	memcpy(names, (const unsigned char *)bytes + first, n - first);
	*pos += n;
}

static uint32_t used(struct gn_fast_ring *ring)
{
	return atomic_load(&ring->head) -
	       atomic_load_explicit(&ring->tail, memory_order_acquire);
}

static bool put(struct gn_fast_page *page, struct gn_fast_name *head,
		const struct gn_fast_text *text)
{
	struct gn_fast_ring *ring = positions(page);
	uint32_t pos = atomic_load(&ring->head), end = pos + head->size;
	static const char zeros[8];

	/* used() exceeds the ring if the program overwrote gnomon's position */
	if (used(ring) > GN_FAST_NAMES - head->size)
		return false;
	put_bytes(page, &pos, head, sizeof(*head));
	for (int i = 0; i < 2; i++)
		put_bytes(page, &pos, text[i].at, text[i].len);
	put_bytes(page, &pos, zeros, end - pos);
	atomic_store_explicit(&ring->head, end, memory_order_release);
	return true;
}

static bool lock(atomic_flag *flag)
{
	for (int i = 0; i < TRIES; i++) {
		if (!atomic_flag_test_and_set(flag))
			return true;
		sched_yield();
	}
	return false;
}

bool gn_fast_tell_name(uint32_t index, uint64_t token, struct gn_fast_text name,
		       struct gn_fast_text module)
{
	static atomic_flag writing = ATOMIC_FLAG_INIT;
	const struct gn_fast_text text[] = {name, module};
	struct gn_fast_name head = {
		.size = (uint32_t)(sizeof(head) + name.len + module.len + 7) &
			~7u,
		.index = index,
		.token = token,
		.len = {name.len, module.len},
	};
	struct gn_fast_page *page = gn_fast_read_page();
	bool done;

	if (!page || !lock(&writing))
		return false;
	done = put(page, &head, text);
	atomic_flag_clear(&writing);
	if (done && used(positions(page)) >= GN_FAST_NAMES / 2)
		gn_fast_ring_bell(page);
	return done;
}
