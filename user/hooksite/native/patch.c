// SPDX-License-Identifier: BSD-2-Clause
/*
 * The first byte of an entry decides what runs there. The other bytes do not
 * matter until it changes, so other threads may run the code meanwhile.
 */
#include "hooksite/native/patch.h"

#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#define JUMP 0xe9

static bool put(int mem, uint64_t addr, const void *bytes, size_t n)
{
	return pwrite(mem, bytes, n, (off_t)addr) == (ssize_t)n;
}

static uint64_t place(const struct gn_patches *p, const struct gn_sled_entry *e)
{
	return p->base[e->file] + e->addr;
}

static bool is_sled(const struct gn_sled_entry *e)
{
	return e->form < GN_SLED_FORMS;
}

static bool put_distances(const struct gn_patches *p, int mem)
{
	for (size_t i = 0; i < p->count; i++) {
		const struct gn_sled_entry *e = &p->entry[i];
		const struct gn_stubs *s;

		if (!is_sled(e))
			continue;
		s = &p->stubs[e->file * GN_SLED_FORMS + e->form];
		if (!put(mem, place(p, e) + 1, &s->distance, 4))
			return false;
	}
	return true;
}

/* Puts the jumps, up to the first one that cannot be written. Returns that
 * one's index. */
static size_t put_jumps(const struct gn_patches *p, int mem, bool *any)
{
	static const uint8_t jump = JUMP;
	size_t i;

	for (i = 0; i < p->count; i++) {
		const struct gn_sled_entry *e = &p->entry[i];

		if (is_sled(e) && !put(mem, place(p, e), &jump, 1))
			break;
		*any |= is_sled(e);
	}
	return i;
}

/* The probes of a function come behind its sleds: those of the first `n`
 * entries are beside jumps only. One that stays finds the jump, and leaves the
 * report to it. */
static void clear_probes(const struct gn_patches *p, int mem, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct gn_sled_entry *e = &p->entry[i];

		if (e->form == GN_SLED_PROBE)
			put(mem, place(p, e), &e->byte, 1);
	}
}

/* From now on no thread executes bytes that it fetched before. Does nothing if
 * there are no other threads, or if the kernel cannot do it. */
static void settle_code(void)
{
	syscall(SYS_membarrier,
		MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
	syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0,
		0);
}

int gn_patch(const struct gn_patches *p)
{
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	bool any = false;

	if (mem < 0)
		return -1;
	if (put_distances(p, mem)) {
		settle_code();
		clear_probes(p, mem, put_jumps(p, mem, &any));
	}
	close(mem);
	return any ? 0 : -1;
}
