/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by java_attach.c, java_copy.c, java_flags.c and java_listener.c.
 * `why`: as in attach.h. */
#ifndef GNOMON_RUNTIME_JAVA_ATTACH_PARTS_H
#define GNOMON_RUNTIME_JAVA_ATTACH_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/copy.h"
#include "runtime/apart.h"
#include "runtime/attach_parts.h"
#include "runtime/local_socket.h"

/* Options of a running JVM, in its memory. Addresses are of the process. */
struct gn_java_flags {
	bool deaf;	 /* -XX:+DisableAttachMechanism */
	bool fixed;	 /* -XX:-EnableDynamicAgentLoading: no agents */
	bool warns;	 /* it writes a warning when it loads an agent */
	uint64_t origin; /* where it notes who set that option */
	/* -XX:+DTraceMonitorProbes: where it is, 0: nowhere; and what it was */
	uint64_t probes;
	bool probed;
};

/* 0; -errno, and `why` says why they cannot be read. */
int gn_java_flags_read(pid_t pid, struct gn_java_flags *f, char *why);

/* Makes the JVM believe that its command line set EnableDynamicAgentLoading:
 * then it writes no warning. *was: what _restore() puts back. 0 or -errno. */
int gn_java_flags_quiet(pid_t pid, const struct gn_java_flags *f,
			uint32_t *was);
void gn_java_flags_restore(pid_t pid, const struct gn_java_flags *f,
			   uint32_t was);

/* Makes the JVM run the probes of its monitors: it reads that option each time
 * that a thread has to wait. The memory of the process, with which _unprobe()
 * puts back what was; -1: nothing was changed, and these waits have no name. */
int gn_java_flags_probe(pid_t pid, const struct gn_java_flags *f);
void gn_java_flags_unprobe(int memory, const struct gn_java_flags *f);

/* The JVM's attach listener, as its own tools use it. */
struct gn_java_listener {
	pid_t pid;
	int root; /* of its mount namespace */
	uid_t uid;
	gid_t gid;
	int number; /* the PID that it sees */
	int socket; /* O_PATH */
};

/* 0, or -errno: `why` says what cannot be read. Close it also after that. */
int gn_java_listener_open(struct gn_java_listener *l, pid_t pid, char *why);

/* Makes the JVM begin to listen, if it does not. `lock` is held until what this
 * leaves in a folder is removed. */
int gn_java_listener_wake(struct gn_java_listener *l,
			  const struct gn_java_flags *f, int lock,
			  gn_wait_fn wait, void *ctx, char *why);

/* Makes it load the library with these options, or call it again. 0: the
 * library has done what it was asked for. */
int gn_java_listener_load(struct gn_java_listener *l, const char *library,
			  const char *options,
			  const struct gn_socket_limits *limits, char *why);

/* Returns -ESRCH or the error; `why` says what it means. */
int gn_java_listener_explain(const struct gn_java_listener *l, int err,
			     char *why);

void gn_java_listener_close(struct gn_java_listener *l);

struct gn_java_copy {
	struct gn_copy copy;
	struct gn_guard guard; /* removes the copy's name */
	int lock;	       /* the caller's; the guard holds it, too */
};

void gn_java_copy_init(struct gn_java_copy *c);

/* Finds the copy that the process has loaded before, or makes one. `lock` is
 * held until its name is removed. 0, or -errno: `why` says why there is none.
 * Close it also after that. */
int gn_java_copy_bring(struct gn_java_copy *c, pid_t pid, const char *library,
		       int lock, char *why);

/* Removes the name: what is loaded stays. */
void gn_java_copy_remove(struct gn_java_copy *c);
void gn_java_copy_close(struct gn_java_copy *c);

#endif
