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

static bool put_distance(const struct gn_patches *p, int mem,
			 const struct gn_sled_entry *e)
{
	const struct gn_stubs *s = &p->stubs[e->file * GN_SLED_FORMS + e->form];

	return !is_sled(e) || put(mem, place(p, e) + 1, &s->distance, 4);
}

static bool put_first(const struct gn_patches *p, int mem,
		      const struct gn_sled_entry *e)
{
	static const uint8_t jump = JUMP;

	return !is_sled(e) || put(mem, place(p, e), &jump, 1);
}

static bool clear_probe(const struct gn_patches *p, int mem,
			const struct gn_sled_entry *e)
{
	return e->form != GN_SLED_PROBE || put(mem, place(p, e), &e->byte, 1);
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

static bool for_all(const struct gn_patches *p, int mem,
		    bool (*put_it)(const struct gn_patches *, int,
				   const struct gn_sled_entry *))
{
	for (size_t i = 0; i < p->count; i++)
		if (!put_it(p, mem, &p->entry[i]))
			return false;
	return true;
}

/* Restores the first byte: the sled then runs as before. */
static bool undo(const struct gn_patches *p, int mem,
		 const struct gn_sled_entry *e)
{
	return !is_sled(e) || put(mem, place(p, e), gn_sled_bytes(e->form), 1);
}

int gn_patch(const struct gn_patches *p)
{
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	bool done = mem >= 0 && for_all(p, mem, put_distance);

	if (done)
		settle_code();
	if (done && !for_all(p, mem, put_first)) {
		for_all(p, mem, undo);
		done = false;
	}
	done = done && for_all(p, mem, clear_probe);
	if (mem >= 0)
		close(mem);
	return done ? 0 : -1;
}
