/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/mapped.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/perf_event.h>

#define RING_SIZE (64u << 10) /* for each CPU, beside a page of its state */

/* A record as the kernel writes it. Each record ends with a time. */
struct record {
	struct perf_event_header h;
	uint32_t pid, tid;
	uint64_t addr, len, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t prot, flags;
	char path[];
};

struct ring {
	int fd;
	struct perf_event_mmap_page *page; /* the records follow it */
};

struct gn_mapped {
	struct ring *ring;
	size_t count;
	size_t at;	/* the ring being read */
	uint64_t until; /* read up to here; 0: not started */
	int poll;
	size_t page_size;
	_Alignas(8) char record[8192];
};

static int open_event(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
			      PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int add_ring(struct gn_mapped *m, int cpu)
{
	struct ring *ring = &m->ring[m->count];
	struct epoll_event event = {.events = EPOLLIN};
	void *map;

	ring->fd = open_event(cpu);
	if (ring->fd == -ENODEV)
		return 0; /* the CPU is offline */
	if (ring->fd < 0)
		return ring->fd;
	map = mmap(NULL, m->page_size + RING_SIZE, PROT_READ | PROT_WRITE,
		   MAP_SHARED, ring->fd, 0);
	if (map == MAP_FAILED) {
		int err = -errno;

		close(ring->fd);
		return err;
	}
	ring->page = map;
	m->count++;
	return epoll_ctl(m->poll, EPOLL_CTL_ADD, ring->fd, &event) ? -errno : 0;
}

int gn_mapped_new(struct gn_mapped **out)
{
	struct gn_mapped *m = calloc(1, sizeof(*m));
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int err = 0;

	if (!m)
		return -ENOMEM;
	m->page_size = (size_t)sysconf(_SC_PAGESIZE);
	m->poll = epoll_create1(EPOLL_CLOEXEC);
	if (m->poll < 0)
		err = -errno;
	m->ring = calloc(cpus > 0 ? (size_t)cpus : 1, sizeof(*m->ring));
	if (!m->ring)
		err = -ENOMEM;
	for (int cpu = 0; !err && cpu < cpus; cpu++)
		err = add_ring(m, cpu);
	if (err) {
		gn_mapped_free(m);
		return err;
	}
	*out = m;
	return 0;
}

void gn_mapped_free(struct gn_mapped *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->count; i++) {
		munmap(m->ring[i].page, m->page_size + RING_SIZE);
		close(m->ring[i].fd);
	}
	if (m->poll >= 0)
		close(m->poll);
	free(m->ring);
	free(m);
}

int gn_mapped_fd(const struct gn_mapped *m)
{
	return m->poll;
}

/* Copies bytes of the ring, which can wrap around its end. */
static void copy(const struct gn_mapped *m, const struct ring *ring,
		 uint64_t at, void *to, size_t size)
{
	const char *data = (const char *)ring->page + m->page_size;
	size_t from = at & (RING_SIZE - 1);
	size_t first = size < RING_SIZE - from ? size : RING_SIZE - from;

	memcpy(to, data + from, first);
	memcpy((char *)to + first, data, size - first);
}

/* The time of a record of so many bytes. */
static uint64_t time_of(const struct gn_mapped *m, size_t size)
{
	uint64_t time;

	memcpy(&time, m->record + size - sizeof(time), sizeof(time));
	return time;
}

/* The next record of a ring, into m->record: its size, 0 = there is none, or it
 * is too late. What comes meanwhile is left for the next time: a ring can fill
 * as fast as it is read. */
static size_t take_record(struct gn_mapped *m, struct ring *ring, uint64_t last)
{
	uint64_t tail = ring->page->data_tail;
	struct perf_event_header h = {.size = 0};
	size_t size;

	if (!m->until)
		m->until = __atomic_load_n(&ring->page->data_head,
					   __ATOMIC_ACQUIRE);
	if (tail >= m->until)
		return 0;
	copy(m, ring, tail, &h, sizeof(h));
	size = h.size < sizeof(m->record) ? h.size : sizeof(m->record);
	copy(m, ring, tail, m->record, size);
	if (time_of(m, size) > last)
		return 0;
	__atomic_store_n(&ring->page->data_tail, tail + h.size,
			 __ATOMIC_RELEASE);
	return size;
}

bool gn_mapped_next(struct gn_mapped *m, uint64_t last,
		    struct gn_mapped_file *file)
{
	const struct record *r = (const void *)m->record;
	size_t size;

	while (m->at < m->count) {
		size = take_record(m, &m->ring[m->at], last);
		if (!size) {
			m->at++;
			m->until = 0;
			continue;
		}
		*file = (struct gn_mapped_file){.path = "",
						.time = time_of(m, size)};
		if (r->h.type == PERF_RECORD_LOST)
			return true;
		if (r->h.type != PERF_RECORD_MMAP2 ||
		    size <= sizeof(*r) + sizeof(file->time))
			continue;
		m->record[size - sizeof(file->time)] = '\0';
		file->pid = (pid_t)r->pid;
		file->path = r->path;
		file->start = r->addr;
		file->end = r->addr + r->len;
		file->offset = r->offset;
		file->file.dev = (uint64_t)r->major << 32 | r->minor;
		file->file.ino = r->inode;
		return true;
	}
	m->at = 0;
	return false;
}
