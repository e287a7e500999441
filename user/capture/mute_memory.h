/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the bytes by which a hook-site library mutes functions (gnomon_mute in
 * hooksite/mute.h) into processes that run it. What such a process shows
 * can be hostile. At worst it makes gnomon write a byte that the process can
 * write itself.
 */
#ifndef GNOMON_CAPTURE_MUTE_MEMORY_H
#define GNOMON_CAPTURE_MUTE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "elf/elf_head.h"
#include "process/maps.h"

#define GN_MUTE_SYMBOL "gnomon_mute"

/* A library file: where its bytes are, and how to recognise the file. */
struct gn_mute_file {
	struct gn_file_id id;
	uint64_t table; /* virtual address of the bytes */
	uint64_t size;	/* how many */
	struct gn_elf_head head;
};

/* -ENOENT: it has no such bytes; -ENOEXEC: it is no library of this machine;
 * else errno of the open or read. */
int gn_mute_file_read(const char *path, struct gn_mute_file *out);

/*
 * Finds the address of the file's offset 0 in the process whose `maps`
 * (/proc/PID/maps) this is. There must be exactly one place where the bytes lie
 * in private, writable mappings of the file and of what follows it. -ENOENT:
 * none; -ENOTUNIQ: more than one; -EILSEQ: the text is malformed.
 */
int gn_mute_scan(FILE *maps, const struct gn_mute_file *file, uint64_t *base);

/* A process that runs the library. */
struct gn_mute_process {
	pid_t pid;
	int mem;
	uint64_t bytes; /* their address */
	uint32_t *set;	/* indexes that were written */
	size_t nset, room;
};

/*
 * -ESRCH: there is no such process (any more); -ENOENT, -ENOTUNIQ: it does not
 * run the library, or runs it twice; -EPERM or -EACCES: it cannot be written
 * (CAP_SYS_PTRACE is missing, or Yama forbids it to everybody). After an error
 * there is nothing to close.
 */
int gn_mute_process_open(struct gn_mute_process *p, pid_t pid,
			 const struct gn_mute_file *file);

/* Writes one byte. -EALREADY: it was written before; -ESRCH: the process ended,
 * or runs another program now; -ERANGE: there is no such byte; -ENOMEM. */
int gn_mute_process_set(struct gn_mute_process *p,
			const struct gn_mute_file *file, uint32_t index);

/* False: the process ended, or runs another program. */
bool gn_mute_process_lives(const struct gn_mute_process *p);

/* Undoes all writes, if the process lives, and closes. */
void gn_mute_process_close(struct gn_mute_process *p);

#endif
