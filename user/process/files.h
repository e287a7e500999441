/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that a program or processes map. A path can name another file a
 * moment later, so each file is opened once, and identified, planned and probed
 * by its descriptor.
 */
#ifndef GNOMON_PROCESS_FILES_H
#define GNOMON_PROCESS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "process/maps.h"
#include "process/target.h"

struct gn_file {
	char *path; /* as a process that maps it names it */
	int fd;	    /* for reading; -1 = it cannot be read */
	struct gn_file_id id;
	bool program;	/* it is run; else it is a library */
	bool asked;	/* a library that -f names and nobody was seen to map */
	bool awaited;	/* a runtime that a traced process can start */
	bool begins;	/* a runtime of which it is told who starts it */
	bool hooksite;	/* a hook-site library: who maps it is traced */
	bool nop5;	/* its sites have a second place: GN_SITE_NOP5 */
	bool elsewhere; /* processes that are not traced map it, too (share.h)
			 */
	bool named; /* its path leads to it; noted before it is run (later.c) */
	uint64_t probed; /* when its probes were in place; 0: from the start */
};

/* No two are the same file, whatever their paths. */
struct gn_files {
	struct gn_file *file;
	size_t count, room;
	bool loose_code; /* a process can run memory that is of no file here */
	bool unlisted;	 /* gn_files_of_program() had no full list */
};

void gn_files_free(struct gn_files *f);

/* Whether a file that can be read is one of them. */
bool gn_files_have(const struct gn_files *f, const struct gn_file_id *id);

/* Whether an open file is of an overlay: the kernel has another one below. */
bool gn_file_on_overlay(int fd);

/* Whether a file that is open is one of them by another overlay: containers of
 * one image have the same inode below, which the kernel probes, and a mount of
 * its own above. NULL: it is none. */
struct gn_file *gn_files_twin(const struct gn_files *f, int fd);

/* Adds the file at a path, unless it is there; `at` (may be NULL) is its
 * index. -ENOEXEC: it is no regular file; else errno of the open. */
int gn_files_add(struct gn_files *f, const char *path, bool program,
		 size_t *at);

/* Adds what is open already, and takes it over: it is empty then. -E2BIG,
 * -ENOMEM. */
int gn_files_move(struct gn_files *f, struct gn_file *file);

/* The program at `program` and the libraries that the dynamic linker lists for
 * it, run as `u`. It lists none of a static program, and it can fail where the
 * user may not read the program: `unlisted` is set then. */
int gn_files_of_program(const char *program, const struct gn_user *u,
			struct gn_files *f);

/*
 * Lists what a process runs and has mapped as code: the mapped files, not what
 * their paths name by now. A file that cannot be opened is listed by its path,
 * without a descriptor. -ESRCH: there is no such process.
 */
int gn_files_of_process(pid_t pid, struct gn_files *f);
/* The same of a process that must go on to run: -ESRCH where it ended
 * meanwhile, for then only a part is listed. */
int gn_files_of_running(pid_t pid, struct gn_files *f);

/* Whether that error, or 0, is for want of a process or of its program, and
 * then what to say of it. */
#define GN_MISSING_MAX 128
bool gn_files_missing(pid_t pid, int err, char why[GN_MISSING_MAX]);

/* Opens the mapped file, not what its path names by now. <0: it cannot be. */
int gn_file_of_mapping(pid_t pid, const struct gn_mapping *m);
/* The name of a mapped file as the process itself sees it, in `name`, which is
 * changed: the kernel shows it from gnomon's root, and adds a word if the file
 * was deleted. `fd` (may be -1): the file. */
const char *gn_file_own_name(pid_t pid, int fd, char *name);
/* Whether the mapping is of a file that has, or had, the path. */
bool gn_mapping_is_of(const struct gn_mapping *m, const char *path);

/* A path by which the open file can be opened again, by any thread of gnomon.
 * GN_FILE_PLACE bytes. */
#define GN_FILE_PLACE 32
const char *gn_file_place(int fd, char *place);

/* Raises the limit of descriptors as far as possible; `was` gets the old limit,
 * 0 = nothing changed. */
void gn_files_raise(rlim_t *was);

#endif
