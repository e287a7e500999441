/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/ring_size.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/resource.h>
#include <unistd.h>

#include "capture/session_internal.h"
#include "capture/tell.h"
#include "process/memory.h"

#define DEFAULT_RING (64u << 20)
#define RING_LEAST   (1u << 20)
/* the ring is the larger part of what gnomon takes for a small program: with
 * one of 1 MiB it was killed at 8 MiB, with one of 4 MiB not at 12 */
#define OWN (8u << 20)
/* the parts of the limits that a ring may take. Its pages are mapped twice, and
 * gnomon itself takes some 60 MiB of address space. */
#define MEMORY_PART  4
#define ADDRESS_PART 16

static struct gn_room room_now(void)
{
	struct gn_room room = {gn_memory_limit(getpid()), UINT64_MAX};
	struct rlimit limit;

	if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY)
		room.addresses = limit.rlim_cur;
	return room;
}

uint64_t gn_ring_size_default(uint64_t usual, const struct gn_room *room)
{
	uint64_t size = usual;

	while (size > RING_LEAST && (size > room->memory / MEMORY_PART ||
				     size > room->addresses / ADDRESS_PART))
		size /= 2;
	return size;
}

bool gn_ring_size_fits(uint64_t size, const struct gn_room *room,
		       uint64_t *need)
{
	*need = size + OWN;
	return *need <= room->memory;
}

/* Without a size, the ring is as large as the memory allows; it can still
 * become too small for the records, which is told as such. */
int gn_ring_choose(struct gn_session *s)
{
	uint64_t usual = s->opts.ring_default ?: DEFAULT_RING, need;
	struct gn_room room = room_now();
	bool asked = s->opts.ring_size;

	if (!asked)
		s->opts.ring_size = gn_ring_size_default(usual, &room);
	if (!gn_ring_size_fits(s->opts.ring_size, &room, &need))
		return gn_session_fail(
			s, -ENOMEM, 1,
			"gnomon takes %" PRIu64
			" MiB of memory or more, with its ring buffer of "
			"%" PRIu64 " MiB, and its control group may have only "
			"%" PRIu64
			" MiB, so the kernel would kill it; raise this limit "
			"(memory.max)%s",
			need >> 20, s->opts.ring_size >> 20, room.memory >> 20,
			asked ? ", or give a smaller --ring-size" : "");
	if (!asked && s->opts.ring_size < usual && !s->opts.quiet)
		gn_error("the ring buffer has %" PRIu64 " MiB, not %" PRIu64
			 ", because gnomon's memory is limited (%s); "
			 "--ring-size gives it another size",
			 s->opts.ring_size >> 20, usual >> 20,
			 room.memory == UINT64_MAX
				 ? "ulimit -v"
				 : "memory.max of its control group");
	return 0;
}
