/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kinds of files that threads wait for. */
#ifndef GNOMON_FILE_KIND_BPF_H
#define GNOMON_FILE_KIND_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include <gnomon/time_class.h>

#include "maps.bpf.h"

#define GN_IFMT	  0170000
#define GN_IFSOCK 0140000
#define GN_IFREG  0100000
#define GN_IFBLK  0060000
#define GN_IFDIR  0040000
#define GN_IFCHR  0020000
#define GN_IFIFO  0010000

#define GN_AF_UNIX 1
/* linux/magic.h */
#define GN_ANON_INODE_MAGIC 0x09041934
#define GN_PIDFS_MAGIC	    0x50494446

/* Follows `path` from a struct `type`; the further arguments are the same path
 * for BPF_CORE_READ(). Plain loads take a tenth of the helper calls' time. */
#define GN_FOLLOW(type, p, path, ...) \
	(can_cast ? GN_CAST_TO(type, p)->path : BPF_CORE_READ(p, __VA_ARGS__))

static __always_inline struct file *file_at(struct file **at)
{
	struct file *f = 0;

	if (can_cast)
		return (struct file *)GN_CAST_TO(list_head, at)->next;
	return bpf_probe_read_kernel(&f, sizeof(f), at) ? 0 : f;
}

static __always_inline __u16 mode_of(struct file *f)
{
	return GN_FOLLOW(file, f, f_inode->i_mode, f_inode, i_mode);
}

/* A unix socket whose other end is gnomon's: a program waits there before it
 * starts another one. */
static __always_inline enum gn_polled kind_of_unix(struct socket *sock)
{
	struct pid *peer =
		GN_FOLLOW(socket, sock, sk->sk_peer_pid, sk, sk_peer_pid);

	return peer && (__u32)BPF_CORE_READ(peer, numbers[0].nr) == control.self
		       ? GN_POLLED_GNOMON
		       : GN_POLLED_UNIX;
}

static __always_inline enum gn_polled kind_of_socket(struct file *f)
{
	struct socket *sock = GN_FOLLOW(file, f, private_data, private_data);
	__u16 family = GN_FOLLOW(socket, sock, sk->__sk_common.skc_family, sk,
				 __sk_common.skc_family);

	return family == GN_AF_UNIX ? kind_of_unix(sock) : GN_POLLED_SOCKET;
}

/* The kind of a file without an inode of its own, by its name: "[eventfd]". */
static __always_inline enum gn_polled kind_of_anon(struct file *f)
{
	char name[8] = {};

	bpf_probe_read_kernel(name, sizeof(name),
			      GN_FOLLOW(file, f, f_path.dentry->d_name.name,
					f_path.dentry, d_name.name));
	if (name[0] == 'i' && name[1] == 'n' && name[2] == 'o')
		return GN_POLLED_INOTIFY; /* inotify */
	if (name[0] != '[')
		return GN_POLLED_UNKNOWN;
	if (name[1] == 'e' && name[2] == 'v' && name[6] == 'f')
		return GN_POLLED_EVENTFD; /* [eventfd] */
	if (name[1] == 'e' && name[2] == 'v' && name[6] == 'p')
		return GN_POLLED_EPOLL; /* [eventpoll] */
	if (name[1] == 't' && name[2] == 'i')
		return GN_POLLED_TIMERFD; /* [timerfd] */
	if (name[1] == 'p' && name[2] == 'i')
		return GN_POLLED_PIDFD; /* [pidfd] */
	if (name[1] == 's' && name[2] == 'i')
		return GN_POLLED_SIGNALFD; /* [signalfd] */
	return GN_POLLED_UNKNOWN;
}

static __always_inline enum gn_polled kind_of_file(struct file *f)
{
	__u16 mode = mode_of(f) & GN_IFMT;
	unsigned long magic;

	if (mode == GN_IFIFO)
		return GN_POLLED_PIPE;
	if (mode == GN_IFSOCK)
		return kind_of_socket(f);
	magic = GN_FOLLOW(file, f, f_inode->i_sb->s_magic, f_inode, i_sb,
			  s_magic);
	/* anonymous inodes have no type, or since 6.16 that of a file */
	if (magic == GN_ANON_INODE_MAGIC)
		return kind_of_anon(f);
	if (magic == GN_PIDFS_MAGIC)
		return GN_POLLED_PIDFD;
	if (mode == GN_IFREG || mode == GN_IFBLK || mode == GN_IFDIR)
		return GN_POLLED_FILE;
	return mode == GN_IFCHR ? GN_POLLED_DEVICE : GN_POLLED_UNKNOWN;
}

static __always_inline enum gn_class class_of_kind(enum gn_polled kind)
{
	switch (kind) {
	case GN_POLLED_PIPE:
	case GN_POLLED_UNIX:
	case GN_POLLED_GNOMON:
	case GN_POLLED_EVENTFD:
		return GN_CLASS_IPC;
	case GN_POLLED_SOCKET:
		return GN_CLASS_NET;
	case GN_POLLED_TIMERFD:
		return GN_CLASS_SLEEP;
	case GN_POLLED_PIDFD:
		return GN_CLASS_CHILD;
	case GN_POLLED_FILE:
		return GN_CLASS_DISK;
	case GN_POLLED_SIGNALFD:
		return GN_CLASS_EVENT;
	default:
		return GN_CLASS_OTHER;
	}
}

/* The task is an argument of the program, so plain loads can follow its
 * pointers. They cost a tenth of a helper call. */
static __always_inline struct file *file_of_fd(struct task_struct *p, __u32 fd)
{
	struct fdtable *fdt = untrusted(p)->files->fdt;

	return fd < fdt->max_fds ? file_at(&fdt->fd[fd]) : 0;
}

static __always_inline enum gn_class class_of_fd(struct task_struct *p,
						 __u32 fd)
{
	struct file *f = file_of_fd(p, fd);

	return f ? class_of_kind(kind_of_file(f)) : GN_CLASS_OTHER;
}

/* The kind of a file of the current thread. Not static: see emit_slices(). A
 * function that is not static accepts no kernel pointers. */
__noinline int kind_of_fd(__u32 fd)
{
	struct file *f = file_of_fd(bpf_get_current_task_btf(), fd);

	return f ? kind_of_file(f) : GN_POLLED_UNKNOWN;
}

#endif
