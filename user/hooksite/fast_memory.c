// SPDX-License-Identifier: BSD-2-Clause
/* The memory of fast hooks: what gnomon reads, and the threads' own data. */
#include "fast_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

struct gn_fast_hooks gn_fast_hooks;

/* Takes addresses that are aligned to a slot. NULL: there is no room. */
static unsigned char *reserve(size_t size)
{
	const size_t room = size + GN_FAST_SLOT;
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
	munmap(at + size, (size_t)(end - at) - size);
	return at;
}

/* Forked children find the memory open. Otherwise only what is in use can be
 * read: what reads all readable memory, as .NET's createdump does, would make
 * the kernel allocate all of it. */
void *gn_fast_map_shared(int fd)
{
	unsigned char *at = reserve(GN_FAST_FILE);
	int how = gn_fast_hooks.follows ? PROT_READ | PROT_WRITE : PROT_NONE;

	if (!at)
		return NULL;
	if (mmap(at, GN_FAST_FILE, how, MAP_SHARED | MAP_FIXED, fd, 0) ==
		    MAP_FAILED ||
	    !gn_fast_open((uint64_t)at, GN_FAST_DATA + GN_FAST_SLOT)) {
		munmap(at, GN_FAST_FILE);
		return NULL;
	}
	madvise(at, gn_fast_hooks.follows ? GN_FAST_SIZE : GN_FAST_FILE,
		MADV_DONTFORK);
	madvise(at, GN_FAST_FILE, MADV_DONTDUMP);
	return at;
}

bool gn_fast_open(uint64_t at, uint64_t size)
{
	return gn_fast_hooks.follows ||
	       !gn_fast_call(SYS_mprotect, (long)at, (long)size,
			     PROT_READ | PROT_WRITE, 0);
}

/* Children's memory goes elsewhere: the parent is such a child, too. */
static bool move_children(void)
{
	unsigned char *at = reserve(GN_FAST_CHILD_SIZE);
	void *moved;

	if (!at)
		return false;
	moved = mremap(gn_fast_hooks.children, GN_FAST_CHILD_SIZE,
		       GN_FAST_CHILD_SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, at);
	if (moved == MAP_FAILED)
		munmap(at, GN_FAST_CHILD_SIZE);
	else
		gn_fast_hooks.children = moved;
	return moved != MAP_FAILED;
}

bool gn_fast_replace_parents(void)
{
	int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
		  MAP_FIXED_NOREPLACE;
	size_t size = GN_FAST_SIZE;
	void *at;

	if (gn_fast_is_child()) {
		size = GN_FAST_CHILD_SIZE;
		if (!move_children()) {
			gn_fast_hooks.children = NULL;
			how ^= MAP_FIXED_NOREPLACE ^ MAP_FIXED;
		}
	}
	at = mmap(gn_fast_hooks.page, size, PROT_READ | PROT_WRITE, how, -1, 0);
	/* a child that did not get its parent's memory has it already */
	return at == (void *)gn_fast_hooks.page || errno == EEXIST;
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
	if (!ftruncate(fd, GN_FAST_FILE) &&
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
