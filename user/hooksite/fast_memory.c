// SPDX-License-Identifier: BSD-2-Clause
/* The memory of fast hooks: what gnomon reads, and the threads' own data. */
#include "fast_state.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

void *gn_fast_map_shared(int fd)
{
	const size_t room = GN_FAST_SIZE + GN_FAST_SLOT;
	unsigned char *all =
		mmap(NULL, room, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	unsigned char *at, *end;

	if (all == MAP_FAILED)
		return NULL;
	end = all + room;
	at = all + (-(uintptr_t)all & (GN_FAST_SLOT - 1));
	if (at > all)
		munmap(all, (size_t)(at - all));
	munmap(at + GN_FAST_SIZE, (size_t)(end - at) - GN_FAST_SIZE);
	if (mmap(at, GN_FAST_SIZE, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
		munmap(at, GN_FAST_SIZE);
		return NULL;
	}
	madvise(at, GN_FAST_SIZE, MADV_DONTFORK);
	madvise(at, GN_FAST_SIZE, MADV_DONTDUMP);
	return at;
}

bool gn_fast_map_own(void)
{
	unsigned char *at;

	if (gn_fast_hooks.owns)
		return true;
	at = mmap(NULL, GN_FAST_OWNS_SIZE + GN_FAST_PAGE,
		  PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return false;
	if (madvise(at, GN_FAST_OWNS_SIZE + GN_FAST_PAGE, MADV_WIPEONFORK)) {
		munmap(at, GN_FAST_OWNS_SIZE + GN_FAST_PAGE);
		return false;
	}
	gn_fast_hooks.owns = (struct gn_fast_own *)at;
	gn_fast_hooks.alive = (_Atomic uint32_t *)(at + GN_FAST_OWNS_SIZE);
	atomic_store(gn_fast_hooks.alive, 1);
	return true;
}

int gn_fast_make_memory(void)
{
	int fd = memfd_create("gnomon", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -1;
	if (!ftruncate(fd, GN_FAST_SIZE) &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return fd;
	close(fd);
	return -1;
}

void gn_fast_leave_own(void)
{
	/* from now on these are zeros, which take no memory */
	madvise(gn_fast_hooks.owns, GN_FAST_OWNS_SIZE, MADV_DONTNEED);
	gn_fast_hooks.owns = NULL;
}
