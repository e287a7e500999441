/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/fast_map.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* Returns the id of the mount that a descriptor's file is on; <0: not known.
 * The kernel does not ask the file system, which might never answer. */
static int mount_of(int fd)
{
	char path[64], line[128];
	int id = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "mnt_id: %d", &id) == 1)
			break;
	fclose(f);
	return id;
}

/* Returns the mount of all memfds, which holds nothing but plain memory. */
static int memory_mount(void)
{
	int fd = memfd_create("gnomon", MFD_CLOEXEC);
	int id;

	if (fd < 0)
		return -errno;
	id = mount_of(fd);
	close(fd);
	return id;
}

/* `place` is an O_PATH descriptor. Opens its file only if it is plain memory.
 */
static int open_memory(int place)
{
	int id = memory_mount(), fd;
	char path[64];

	if (id < 0 || mount_of(place) != id)
		return -EBADMSG;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int map(int fd, struct gn_fast_page **page)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct gn_fast_page *at;
	struct stat st;

	if (seals < 0 || (seals & SEALS) != SEALS)
		return -EBADMSG;
	if (fstat(fd, &st) || st.st_size != GN_FAST_FILE)
		return -EBADMSG;
	at = mmap(NULL, GN_FAST_FILE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		  0);
	if (at == MAP_FAILED)
		return -errno;
	if (at->magic != GN_FAST_MAGIC || at->size != GN_FAST_FILE) {
		munmap(at, GN_FAST_FILE);
		return -EBADMSG;
	}
	*page = at;
	return 0;
}

int gn_fast_map(uint32_t pid, uint64_t number, struct gn_fast_page **page)
{
	char path[64];
	int place, fd, err;

	if (number > INT_MAX)
		return -EBADMSG;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/fd/%" PRIu64, pid,
		 number);
	place = open(path, O_PATH | O_CLOEXEC);
	if (place < 0)
		return -errno;
	fd = open_memory(place);
	close(place);
	if (fd < 0)
		return fd;
	err = map(fd, page);
	close(fd);
	return err;
}

void gn_fast_unmap(struct gn_fast_page *page, size_t size)
{
	if (page)
		munmap(page, size);
}

void gn_fast_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
