/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Variables that each thread has for itself. The process can change all that is
 * read. */
#ifndef GNOMON_LOCAL_BPF_H
#define GNOMON_LOCAL_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>

enum local_no {
	LOCAL_FOUND,
	LOCAL_NONE, /* the thread has no memory for the library yet */
	LOCAL_UNREAD,
};

/*
 * Reads the variable of the thread whose thread pointer this is. `module`: the
 * address of the word with the number of the library among those that have
 * memory for each thread; 0: the variable is `offset` bytes from the thread
 * pointer on.
 */
static __always_inline enum local_no local_word(__u64 *to, __u64 thread,
						__u64 module, __s64 offset)
{
	__u64 table, number, at = thread;

	if (module &&
	    (bpf_probe_read_user(&number, sizeof(number), (void *)module) ||
	     bpf_probe_read_user(&table, sizeof(table), (void *)(thread + 8)) ||
	     bpf_probe_read_user(&at, sizeof(at),
				 (void *)(table + number * 16))))
		return LOCAL_UNREAD;
	if (!at || at == ~0ull)
		return LOCAL_NONE;
	return bpf_probe_read_user(to, sizeof(*to), (void *)(at + offset))
		       ? LOCAL_UNREAD
		       : LOCAL_FOUND;
}

#endif
