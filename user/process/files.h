/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that a program or processes map. A path can lead to another file a
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
	char *path; /* as a process that maps it sees it */
	int fd;	    /* for reading; -1 = unreadable */
	struct gn_file_id id;
	bool program;  /* a program; else a library */
	bool asked;    /* a library that -f names, or a file of what the command
			  starts: seen in no process */
	bool launched; /* maybe of the program that the command starts */
	bool awaited;  /* a runtime that a traced process can start */
	bool begins;   /* a runtime whose start in a process is reported */
	bool hooksite; /* a hook-site library: processes that map it are
			  traced */
	bool nop5;     /* its sites have a second place: GN_SITE_NOP5 */
	bool elsewhere; /* untraced processes map it, too (share.h) */
	pid_t other;	/* one of those; 0: not known */
	bool named; /* its path leads to it; noted before it runs (later.c) */
	uint64_t probed; /* when its probes were in place; 0: from the start */
};

/* Each file is listed once, even if it has several paths. */
struct gn_files {
	struct gn_file *file;
	size_t count, room;
	bool loose_code; /* a process can run code that is in no file here */
	bool unlisted;	 /* gn_files_of_program() got no complete list */
};

void gn_files_free(struct gn_files *f);

/* The path of the program's file; NULL: it is not in the list. */
const char *gn_files_program(const struct gn_files *f);

/* Whether the list has this file, and it can be read. */
bool gn_files_have(const struct gn_files *f, const struct gn_file_id *id);

/* Whether an open file is on an overlay: the kernel then probes the file of the
 * layer below. */
bool gn_file_on_overlay(int fd);

/* Finds a listed file that is the same as this open file on another overlay, or
 * NULL. Containers of one image each have their own mount, but share the inode
 * below, which the kernel probes. */
struct gn_file *gn_files_twin(const struct gn_files *f, int fd);

/* Adds the file at a path if it is not listed yet; `at` (may be NULL) gets its
 * index. -ENOEXEC: it is no regular file; else errno of the open. */
int gn_files_add(struct gn_files *f, const char *path, bool program,
		 size_t *at);

/* Adds an open file and takes ownership: `file` is empty then. -E2BIG,
 * -ENOMEM. */
int gn_files_move(struct gn_files *f, struct gn_file *file);

/* The program at `program` and the libraries that the dynamic linker lists for
 * it, run as `u`. For a static program it lists none, and it can fail if the
 * user may not read the program: then `unlisted` is set. */
int gn_files_of_program(const char *program, const struct gn_user *u,
			struct gn_files *f);

/*
 * Lists a process's program and the files that it has mapped as code: the
 * mapped files themselves, even if their paths lead elsewhere now. A file that
 * cannot be opened is listed by its path, without a descriptor. -ESRCH: there
 * is no such process.
 */
int gn_files_of_process(pid_t pid, struct gn_files *f);
/* The same for a process that must still be running afterwards. -ESRCH: it
 * ended meanwhile, so the list may be incomplete. */
int gn_files_of_running(pid_t pid, struct gn_files *f);

/* Whether the cause of the error `err` (may be 0) is that there is no such
 * process or that it runs no program. If so, `why` gets a message. */
#define GN_MISSING_MAX 128
bool gn_files_missing(pid_t pid, int err, char why[GN_MISSING_MAX]);

/* Opens the mapped file itself, even if its path leads elsewhere now. Negative:
 * it cannot be opened. */
int gn_file_of_mapping(pid_t pid, const struct gn_mapping *m);
/* Changes `name`, the kernel's name of a mapped file, to the one that the
 * process sees. The kernel's name starts at gnomon's root, and has a word
 * appended if the file was deleted. `fd` (may be -1): the file. */
const char *gn_file_own_name(pid_t pid, int fd, char *name);
/* Whether the mapping is of a file that has or had this path. */
bool gn_mapping_is_of(const struct gn_mapping *m, const char *path);

/* A path by which the open file can be opened again, by any thread of gnomon.
 * GN_FILE_PLACE bytes. */
#define GN_FILE_PLACE 32
const char *gn_file_place(int fd, char *place);

/* Raises the limit of descriptors as far as possible; `was` gets the old limit,
 * 0 = nothing changed. */
void gn_files_raise(rlim_t *was);

#endif
