/* SPDX-License-Identifier: BSD-2-Clause */
/* The session's own state, shared by its stages. */
#ifndef GNOMON_CAPTURE_SESSION_INTERNAL_H
#define GNOMON_CAPTURE_SESSION_INTERNAL_H

#include <limits.h>

#include "process/cpus.h"
#include "process/files.h"
#include "process/groups.h"
#include "process/memory.h"
#include "capture/fast.h"
#include "capture/functions.h"
#include "capture/later.h"
#include "capture/mute.h"
#include "capture/priority.h"
#include "capture/ring_ahead.h"
#include "capture/running.h"
#include "capture/sampler.h"
#include "capture/unwanted.h"
#include "capture/gate.h"
#include "capture/written.h"
#include "runtime/probes.h"
#include "capture/session.h"
#include "runtime/native.h"
#include "runtime/launch.h"
#include "runtime/specs.h"

struct gnomon_bpf;
struct ring_buffer;
struct bpf_link;

/* Values of hits, and their spec. */
struct gn_hit_values {
	struct gn_value_specs values;
	uint32_t spec;
};

struct gn_sled_table;

/* How many programs that others start are recorded by their files. */
#define GN_STARTED_MAX 64

struct gn_session {
	struct gn_session_opts opts;
	enum gn_attach_mode mode;
	bool nop5; /* the cheaper site of hook-site libraries */
	char program[PATH_MAX];
	bool launches;	    /* the command can lead to a managed runtime */
	bool awaits;	    /* -f names libraries that are not mapped yet */
	bool foreign;	    /* the program is no ELF file of this machine */
	bool light;	    /* no function of a runtime is traced */
	bool no_runtime;    /* no managed functions: `warning` says why */
	bool no_library;    /* the command's runtime cannot read the library:
			       `warning` says so */
	bool valueless;	    /* no managed values: `warning` says so */
	pid_t late_for_elt; /* a -p process without hooks; 0: none */
	pid_t killed;	    /* of -p, by the signal `killed_by`; 0: none */
	int killed_by;
	struct gn_running *active; /* runtimes that ran already; NULL: none */
	char *managed_filter;	   /* the functions asked of them */
	char *managed_values;	   /* and the values (gn_prepare_values) */

	struct gn_filter *filter;
	struct gn_unseen *unseen;
	struct gn_sources *sources;	  /* NULL: no source lines */
	struct gn_outside *outside;	  /* NULL: not looked for */
	struct gn_cpu_limit cpus;	  /* as it was at the start */
	struct gn_memory_group memory;	  /* the same */
	char looked[GN_GROUPS_TEXT];	  /* of the last program looked at */
	char started[GN_STARTED_MAX][16]; /* names of programs whose files are
					     recorded */
	size_t nstarted;
	unsigned allowed;	    /* CPUs, then; 0: not known */
	size_t children;	    /* which -p processes had already */
	char parents[128];	    /* these processes, as -p names them */
	struct gn_sampler *sampler; /* NULL: none are taken */
	struct gn_files files;
	struct gn_probes probes;
	struct gn_native_stats native;
	struct gn_unwanted unwanted;
	struct gn_specs specs;
	struct gn_launch launch;  /* what the runtimes add to the command */
	char **command;		  /* with that added; NULL: as given */
	unsigned int measured[2]; /* specs of hooks whose function texts name */
	bool called;		  /* the command's runtime reports all calls */
	bool costly;	 /* it would not if -f named methods: these get hooks */
	bool methods;	 /* it reports those that -f names */
	size_t runtimes; /* number of those whose sites are probed */
	size_t may_start; /* of those, in programs that may be started later */
	struct gn_runtime_setup *setups; /* how to set options in their files */
	size_t nsetups;
	struct gn_setter *setter; /* NULL: nothing is set */
	struct gn_functions functions;
	struct gn_sled_table *sleds; /* NULL: none are looked for */
	struct gn_valued *valued;    /* one for each of opts.asked */
	struct gn_hit_values *hit_values;
	size_t nhit_values;

	struct gnomon_bpf *skel;
	struct gn_ring_ahead *ring_ahead; /* for the load; NULL: none */
	int ring_fd;			  /* what it made; -1: none */
	struct gn_attach_ahead *attach_ahead, *nop5_ahead; /* NULL: none */
	struct ring_buffer *ring;
	struct gn_links *links;
	struct gn_written *written;
	struct gn_groups groups;
	bool knows_returns;   /* groups can contain return probes, too */
	bool cannot_hold;     /* programs cannot keep their CPU */
	bool one_by_one;      /* libbpf loads the programs */
	size_t left;	      /* probes that are still being removed */
	struct gn_mute *mute; /* NULL: nothing can be muted */
	/* NULL: nothing is attached later. The thread of `written` looks, too.
	 */
	struct gn_later *_Atomic later;
	struct gn_gate *gate; /* NULL: no program waits */
	bool by_thread;	      /* multi links cover only a first thread */
	int wake; /* readable: the kernel side has news; -1 = none */
	struct bpf_link **tracing; /* programs on tracepoints and events */
	size_t ntracing;
	/* the program on signals; it stays after the trace's end, while gnomon
	 * waits for the command */
	struct bpf_link *signals;
	bool faults; /* page faults are classified */
	struct bpf_link *iter;
	int iter_start, iter_stop;
	size_t refused; /* sites that the kernel would not take */

	struct gn_child child;
	pid_t *pids; /* of -p: those of opts */
	int *pidfds; /* NULL or as many */
	bool running;
	bool managed; /* a function was entered */
	bool stops; /* a runtime was seen that reports when it stops threads */
	uint32_t entered;	/* the thread that entered a function last */
	struct gn_meter *meter; /* NULL: nothing to measure */
	bool measuring;		/* nothing else is traced yet */
	struct gn_fast *fast;	/* NULL: every hook is a probe */
	const char *not_fast;	/* why hooks are probes; NULL: no reason */
	int sink_error;
	uint64_t sink_lost;
	uint64_t told[GN_COUNTER_COUNT]; /* counters, as last written */
	uint64_t drain_until;		 /* when draining is enough for now */
	bool dropping;			 /* records are only counted */
	uint64_t late;			 /* their number */
	/* files whose probes had to be removed, where nothing is attached
	 * later */
	uint64_t unprobed, unprobed_ns;
	uint32_t drained;
	uint32_t idle; /* polls in a row that drained nothing */
	struct gn_priority priority;
	struct gn_loss loss;
	enum gn_hold hold;   /* what keeps the sink from taking more */
	uint64_t rest_begun; /* when only draining was left, ns */

	int status;
	char error[512];
	char summary[384];
	char warning[PATH_MAX + 256];
	/* of a process that already ran, if only samples name its functions */
	const char *sampled;
};

/* values.c. 0 or <0. */
int gn_values_plan(struct gn_session *s);
int gn_values_load(struct gn_session *s);
void gn_values_free(struct gn_session *s);

/* Sets the error sentence and status; returns err. */
int gn_session_fail(struct gn_session *s, int err, int status, const char *fmt,
		    ...) __attribute__((format(printf, 4, 5)));

/* Fails because the system starts no more threads. */
int gn_session_no_thread(struct gn_session *s, int err);

/* Fails, and says what is missing to load BPF programs. */
int gn_session_denied(struct gn_session *s, int err);

/* Attach and remove the programs that watch the kernel. */
int gn_watch_attach(struct gn_session *s);
void gn_watch_detach(struct gn_session *s);
/* Starts to take samples, if any are asked for. */
int gn_watch_sample(struct gn_session *s);
/* Starts to record who wakes threads. */
int gn_watch_wakers(struct gn_session *s);
/* If the switch of a running thread onto its CPU was missed, its records follow
 * now. */
int gn_watch_settle(struct gn_session *s);
/* Call before the load: leaves out programs that this capture does not need. */
void gn_watch_choose(struct gn_session *s);

/* Whether a probe of the program is planned. */
bool gn_session_uses(const struct gn_session *s, enum gn_prog prog);
/* Whether native functions can be attached while the capture runs. */
bool gn_session_awaits(const struct gn_session *s);
/* Links a program to some sites, with the link type that it was loaded for. */
int gn_session_link(struct gn_session *s, struct gn_links *links,
		    enum gn_prog prog, const struct gn_probe_set *set,
		    size_t *refused);
/* The same for the session's own links and a set without `left_out`. Fails the
 * session; `path` is for its message. */
int gn_session_attach_set(struct gn_session *s, enum gn_prog prog,
			  const struct gn_probe_set *set, const char *path);
/* Takes the lowest limits of a process's groups, if they are not those of the
 * last one. */
void gn_session_look_at_groups(struct gn_session *s, pid_t pid);
/* Goes on without a process of -p that has ended, and says so. Fails the
 * session if no other is left. */
int gn_session_lose(struct gn_session *s, pid_t pid);
/* The processes that are traced from the start. gnomon can lose one while it
 * attaches: whoever attaches to each begins with the last. */
const pid_t *gn_session_first(const struct gn_session *s, size_t *n);
/* Whether each process gets its own probes, so that others do not pay for
 * them. */
bool gn_session_private(const struct gn_session *s, const struct gn_file *file,
			enum gn_prog prog);
/* Runs an iterator over tasks to its end: the descriptor, or the one that looks
 * at all threads anew. */
int gn_session_iterate(struct gn_session *s, int fd);
int gn_session_look(struct gn_session *s);

/* Hands the ring's records to the sink, for at most `ns`, because they can come
 * faster than they are taken. 1 = there may be more, 0 = it was empty, <0. */
#define GN_DRAIN_NS 50000000u
int gn_session_drain(struct gn_session *s, uint64_t ns);

/* Also takes the records that threads write by themselves. `ring`: the map. */
int gn_session_open_fast(struct gn_session *s, int ring);

/* Sleeps a little, to wait for something that comes by the ring. */
void gn_session_rest(struct gn_session *s);

/* Drains at the end until the ring is empty, and waits for the sink. Counts
 * what a blocked sink did not take, and what gnomon did not hand over in
 * `ns`. */
void gn_session_drain_all(struct gn_session *s, uint64_t ns);

/* Takes a sample of the ring: ring_buffer_sample_fn, with the session as
 * `ctx`. */
int gn_session_sample(void *ctx, void *data, size_t size);

/* Writes the growth of the counters since the last call. */
void gn_session_put_counts(struct gn_session *s);
/* How many runs of BPF programs the kernel has skipped. */
uint64_t gn_session_missed(struct gn_session *s);
/* The same for the program that notes who wakes a thread, of any process: an
 * interrupt can come while it runs and wake another thread. */
uint64_t gn_session_missed_wakers(struct gn_session *s);
/* Gives the BPF programs the real time: by default, deadlines of condition
 * variables use that clock. */
void gn_session_note_clock(struct gn_session *s);
/* What keeps the hooks of managed functions out of their IL, for a reader;
 * NULL: nothing. */
const char *gn_session_elt(const struct gn_session *s);
/* Whether requested functions get their hooks in their IL. */
bool gn_session_by_il(const struct gn_session *s);
/* Whether functions of a runtime are asked for. False with -f '!*' at the
 * end, and if -f names native ones only. */
bool gn_session_wants_managed(const struct gn_session *s);
/* Removes all probes and programs. */
void gn_session_detach(struct gn_session *s);

/* Writes which program the runtime of a process runs, which has this name
 * (facts.c). */
void gn_session_put_program(struct gn_session *s, uint32_t pid,
			    const char comm[16]);

/* Writes facts of the machine, the command and the options (facts.c). */
void gn_session_put_facts(struct gn_session *s);
/* Writes which runtimes are traced without functions, or why none is. */
void gn_session_put_light(struct gn_session *s);
/* Writes how long the runtimes took since the session's start. */
void gn_session_put_attached(struct gn_session *s);
/* Writes how many native functions there are, by how they are traced. */
void gn_session_put_functions(struct gn_session *s);

/* Why hooks have to be probes; NULL: there is no reason. */
const char *gn_session_unfit(const struct gn_session *s);
/* Writes facts about the records that threads write themselves, as INFO. */
void gn_session_put_fast(struct gn_session *s);
/* Writes how much CPU time control groups allow the processes, and how often
 * they throttled them. */
void gn_session_put_cpus(struct gn_session *s);
void gn_session_put_memory(struct gn_session *s);
/* A program that another one started: its file, once per name. */
void gn_session_put_started(struct gn_session *s,
			    const struct gn_rec_thread *r);
/* Writes why the first program without the library, if any, ran without it, as
 * INFO. */
void gn_session_put_unhooked(struct gn_session *s);
/* Reports all such programs to `tell`. */
void gn_session_tell_unhooked(const struct gn_session *s, gn_unseen_fn tell,
			      void *ctx);

/* Hands many ENTER and LEAVE records of a thread to the sink. Returns 0. */
int gn_session_put_calls(struct gn_session *s, const struct gn_rec_func *recs,
			 size_t n);
/* Reports sink_error as the session's failure, and returns it. */
int gn_session_not_kept(struct gn_session *s);
/* Hands a record to the sink. Returns 0. */
int gn_session_put(void *session, const struct gn_rec *rec, size_t size);
int gn_session_put_info(struct gn_session *s, const char *key,
			const char *value);

#endif
