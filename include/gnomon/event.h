/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The wire contract: the records that the kernel side writes to the ring
 * buffer, that the trace file stores and that the model replays. One list
 * (kind.h) defines them; the enum, the sizes, the names and the checks are made
 * from it.
 *
 * All integers are little-endian. Times are nanoseconds of CLOCK_MONOTONIC.
 * Every record begins with struct gn_rec, and its length is a multiple of 8
 * bytes. Trace files store the values, so lists are append only and no value is
 * used again.
 */
#ifndef GNOMON_EVENT_H
#define GNOMON_EVENT_H

#include <gnomon/types.h>
#include <gnomon/counter.h>
#include <gnomon/function_id.h>
#include <gnomon/kind.h>
#include <gnomon/runtime_event.h>
#include <gnomon/time_class.h>
#include <gnomon/value.h>

struct gn_rec {
	__u64 time;
	__u32 tid;
	/*
	 * The record's number in its thread. A thread has two counts: one for
	 * slices, one for all other kernel records. A failed reserve counts
	 * too, so a jump means a loss. 0 in records that user space makes.
	 */
	__u32 seq;
	__u64 kind : 8;	 /* enum gn_kind */
	__u64 flags : 8; /* GN_F_* */
	/* The frame key: the caller's stack pointer, the value that rsp has
	 * after the function returned. 0 when the kind has none. */
	__u64 key : 48;
#define GN_KEY_BITS 48
};

/* flags of a kernel record */
#define GN_F_OS_EVENT 0x01 /* an OS event fell into the interval that ends */
#define GN_F_IN_PROBE                                                          \
	0x02 /* slice: a probe program of this thread was running, so the next \
		record can have an earlier time */
/* collect: the function is named by texts that come with each hit */
#define GN_F_NAMED 0x02
/* The same bit of a native function, and of JIT_BEGIN and JIT_END of .NET: its
 * thread wrote the record itself. */
#define GN_F_OWN 0x02
/* ENTER, LEAVE, TAILCALL, UNWIND_END of a thread that has a ring (RING): the
 * record nevertheless came from a probe */
#define GN_F_PROBED 0x04
/* ENTER, LEAVE, TAILCALL, HIT of a native function: the first probe of the
 * process for which the kernel makes a page there, after this record */
#define GN_F_FIRST 0x04
/* collect: the OS time up to this record, or the stack at this record, is in
 * doubt */
#define GN_F_IN_DOUBT 0x08
/* EXIT: the process ended, and the thread with it, in the middle of its work.
 * The low half of func is then the status that wait() returns, with
 * GN_EXIT_TOLD; older files have 0. GN_EXIT_MEMORY: the kernel ended it because
 * memory ran out. */
#define GN_F_PROCESS_ENDS 0x10
#define GN_EXIT_TOLD	  0x10000
#define GN_EXIT_MEMORY	  0x20000
/* EXEC: the kernel tells the program not to trust what started it (AT_SECURE),
 * so the dynamic linker preloads nothing */
#define GN_F_SECURE 0x10
/* slice, in the ring only: the last h.key ns are a slice of their own, the run
 * queue; h.seq is the number of that slice */
#define GN_F_THEN_QUEUED 0x04
/* slice of class SYSCALL: the call returned at its end; it returned an error */
#define GN_F_RETURNED 0x08
#define GN_F_FAILED   0x10
/* collect: the probe was not single-stepped, even if the function's class of
 * enters or leaves says so */
#define GN_F_EMULATED 0x10
/* collect: the number of probes on conditional jumps that were hit in the
 * interval where the function was not left; 7: or more */
#define GN_F_SILENT(flags) ((flags) >> 5 & 7)
#define GN_F_SILENT_ONE	   0x20
/* Slices of one thread that the ring can hold as one record; kind 0 ends a
 * shorter list. */
#define GN_SLICES 8

/* flags of FUNCTION: how the function's leave is detected, and what its probes
 * cost (enum gn_probe_class) */
#define GN_F_LEAVE_RETURN	   0x01 /* by a return probe; else at its rets */
#define GN_F_CLASSES(enter, leave) ((enter) << 1 | (leave) << 4)
#define GN_F_ENTER_CLASS(flags)	   ((flags) >> 1 & 7)
#define GN_F_LEAVE_CLASS(flags)	   ((flags) >> 4 & 7)
/* FUNCTION: its name is that of a .NET method */
#define GN_F_CLR_NAME 0x80
/* MODULE: its code switches and moves stacks by itself, as Go's does, so a
 * leave can belong to a frame that is elsewhere */
#define GN_F_MOVES_STACKS 0x01

/* Kinds of probes by what a hit costs. X(enumerator, value, text). Records of a
 * runtime's functions are MANAGED, or NAMED or FAST where they say so. */
#define GN_PROBE_CLASS_LIST(X)                                      \
	X(NONE, 0, "none")                                          \
	X(EMULATED, 1, "emulated")                                  \
	X(STEPPED, 2, "single-stepped")                             \
	X(RETURN, 3, "return")                                      \
	X(MANAGED, 4, "managed")                                    \
	/* an enter that sets up a return probe */                  \
	X(CALL, 5, "call")                                          \
	/* a runtime's function named by texts */                   \
	X(NAMED, 6, "named")                                        \
	/* a runtime's function without a probe */                  \
	X(FAST, 7, "fast")                                          \
	/* CALL, single-stepped; FUNCTION has STEPPED and RETURN */ \
	X(STEPPED_CALL, 8, "single-stepped call")                   \
	/* the extra cost of a hit with GN_F_FIRST */               \
	X(FIRST, 9, "first in a process")

enum gn_probe_class {
#define GN_PROBE_CLASS_ENUM(name, value, text) GN_PROBE_##name = (value),
	GN_PROBE_CLASS_LIST(GN_PROBE_CLASS_ENUM)
#undef GN_PROBE_CLASS_ENUM
		GN_PROBE_CLASS_COUNT
};

/* An interval ends here (enter, leave, ...). 32 bytes: the common record. */
struct gn_rec_func {
	struct gn_rec h;
	__u32 func;  /* GN_FUNC(runtime, index); 0 when the kind has none */
	__u32 os_ns; /* OS time in the interval; see GN_KIND_OS_NS */
};

/* A slice: an OS time of a thread, which ends at h.time. h.key is unused. */
struct gn_rec_slice {
	struct gn_rec h;
	__u64 start;
	__u32 waker;  /* tid, 0 = unknown */
	__u16 reason; /* system call number, GN_NO_SYSCALL = none */
	__u8 class;   /* enum gn_class */
	__u8 detail;  /* GN_WAIT_*, 0 = nothing known */
};

/* OS time that does not fit into the 32 bits of the thread's next gn_rec_func.
 * It belongs to the interval that that record ends. */
struct gn_rec_os_ns {
	struct gn_rec h;
	__u64 ns;
};

/* THREAD: a thread is traced from h.time on. EXEC: it runs another program now.
 * RENAME: it has another name. RUNTIME: a runtime began in its process. */
struct gn_rec_thread {
	struct gn_rec_func f; /* EXEC ends an interval, the others do not */
	__u32 pid;	      /* its process (kernel: tgid) */
	__u32 parent;	      /* THREAD: creator's tid; EXEC: its tid before;
				 RUNTIME: GN_FUNC(runtime, 0) */
	char comm[16];	      /* may lack its NUL */
};

/* A process offers memory for its own records (func's index is GN_FAST_OFFER,
 * h.key the descriptor), or a thread has taken a ring there (GN_FAST_CLAIM,
 * h.key says which). See gnomon/fast.h. */
struct gn_rec_ring {
	struct gn_rec_func f;
	__u32 pid;
	__u32 pad;
	__u64 sp; /* the thread's stack pointer: the keys in its ring have only
		     their low halves */
	__u64 unused; /* the size of a kind never changes; older files use
			 this */
};

/* STACK: the thread's signal stack (sigaltstack) */
#define GN_F_SIGNAL_STACK 0x01

/* The stack that the next events run on: the mapping [lo, hi). h.key unused */
struct gn_rec_stack {
	struct gn_rec h;
	__u64 lo;
	__u64 hi;
};

/* Texts. The bytes of the first text follow, then those of the second, then
 * zeros up to `size`. The texts have no NUL. */
struct gn_rec_text {
	struct gn_rec h;
	__u32 size; /* of the whole record */
	__u32 id;   /* NAME, FUNCTION, SOURCE: func; MODULE: module; else 0 */
	__u32 ref;  /* FUNCTION: id of its MODULE; NAME, SOURCE: pid; else 0 */
	__u16 len[2];
	char text[];
};

/* The most bytes of the first and the second text of a NAME in the ring. */
#define GN_SENT_NAME_MAX   1024
#define GN_SENT_MODULE_MAX 768

/*
 * NAME with this flag: the texts are parts of which the runtime's code makes
 * name and module, each of at most GN_SENT_PART_MAX bytes; longer ones are cut.
 * h.key has their lengths, 16 bits each, len[0] their form, and len[1] a number
 * that tells functions with the same texts apart (struct gn_spec).
 */
#define GN_F_PARTS	 0x01
#define GN_SENT_PARTS	 3
#define GN_SENT_PART_MAX 512

/* The value of a counter; `id` is enum gn_counter. */
struct gn_rec_count {
	struct gn_rec h;
	__u32 id;
	__u32 pad;
	__u64 count;
};

/*
 * Used in old files, before there was KERNEL. The kernel's account is from the
 * first to the last switch off a CPU; `lag` contains all differences between
 * the two clocks on the way.
 */
struct gn_rec_sched {
	struct gn_rec h;
	__u64 kernel_cpu;   /* includes `lag` */
	__u64 kernel_delay; /* run queue; ~0 = unknown */
	__u64 cpu;
	__u64 delay;
	__u64 lag; /* signed */
};

/*
 * The kernel's own account of the thread beside gnomon's. Time on a CPU counts
 * from the thread's first switch onto one, or from the first program's start,
 * to the thread's end or its last switch off a CPU. Run queue time counts from
 * the first to the last switch off a CPU.
 *
 * The kernel counts by the scheduler's clock, which it reads some time before
 * each switch; gnomon reads its clock at the switch. The `apart` sums are the
 * distances between the two readings at the ends of the stretches minus those
 * at their starts. They also contain the drift between the two clocks over
 * `span`, which does not explain a difference between the accounts.
 */
struct gn_rec_kernel {
	struct gn_rec h;
	__u64 kernel_cpu;   /* sum_exec_runtime */
	__u64 kernel_delay; /* run_delay; ~0 = unknown */
	__u64 cpu;	    /* ours */
	__u64 delay;
	__u64 cpu_apart; /* signed; with `irq` and `stolen` */
	__u64 delay_apart;
	/* what the kernel left out of kernel_cpu: interrupts, and time that the
	 * machine's host took */
	__u64 irq;
	__u64 stolen;
	__u64 switches; /* as the kernel counts them */
	__u64 drift;	/* how far our clock ran ahead of the scheduler's:
			   signed */
	__u64 span;	/* 0: unknown, because the CPUs' clocks differ */
};

/*
 * What a hit of a probe of a class costs the thread, measured at the start of
 * the capture: the medians of the cost before and after the moment that its
 * record has, and the half-width of the middle half of the sums. `turn_ns` is
 * added to the cost before if the thread's last hit was of the other kind
 * (enter, leave): the processor has then not just taken the same path, and is
 * slower.
 */
struct gn_rec_cost {
	struct gn_rec h;
	__u32 id; /* enum gn_probe_class */
	__u32 samples;
	__u32 before_ns;
	__u32 after_ns;
	__u32 spread_ns;
	__s32 turn_ns;
};

/*
 * What a thread is doing at h.time. The live view asks for it when a period
 * ends, because a thread that only runs or waits emits no records. It is read
 * from another thread, so it has no number, and it changes nothing else in the
 * recording.
 */
struct gn_rec_now {
	struct gn_rec h;
	__u64 since;  /* when `state` began, or in_class's work if it is ON */
	__u64 woken;  /* GN_CPU_WOKEN: when it was made runnable, else 0 */
	__u16 reason; /* system call, GN_NO_SYSCALL = none */
	__u8 state;   /* enum gn_cpu_state */
	__u8 class;   /* enum gn_class: of the wait; ON: of the kernel's work
			 for it, GN_CLASS_APP if none is watched */
	__u8 detail;  /* waits: GN_WAIT_*, as of a slice */
	__u8 pad[3];
};

/*
 * From h.time on a function's probes are muted: its calls are not recorded any
 * more, and its time goes to its callers. Its open frames end here.
 */
struct gn_rec_mute {
	struct gn_rec h;
	__u32 func;
	__u32 pid; /* of the function; 0: native, in all processes */
};

/* UNPROBED: the file was mapped only then, nobody else maps it, and its path
 * leads to it. Had gnomon known it, the probes would have been in place. */
#define GN_F_BY_PATH 0x01

/* From `since` to h.time a process could call functions of a file that had no
 * probes yet. Such calls are missing. */
struct gn_rec_unprobed {
	struct gn_rec h;
	__u32 module;
	__u32 pid;
	__u64 since;
};

/* flags of VALUE: its memory could not be read; the text was longer; the value
 * belongs to the thread's next hit */
#define GN_F_UNREADABLE 0x01
#define GN_F_CUT	0x02
#define GN_F_OF_HIT	0x04

/* h.key is unused. Signed numbers are extended to 64 bits. */
struct gn_rec_value {
	struct gn_rec h;
	__u32 func;
	/* the argument's number, among those in floating point or among the
	 * others; 0: the result; GN_VALUE_THIS */
	__u8 which;
	__u8 type; /* enum gn_value_type */
	__u8 len;  /* of `text`, which is no more than GN_VALUE_TEXT bytes */
	__u8 pad;
	/* STR: the pointer; CLASS: the method table, 0: there is no object. If
	 * len is 4, `text` has the id of the class's name (GN_FUNC). */
	__u64 number;
	char text[GN_VALUE_TEXT + 8];
};

/* An event that a runtime reports (runtime_event.h). */
struct gn_rec_event {
	struct gn_rec h;
	__u32 func;  /* the named thing that it is about; index 0 = none */
	__u16 event; /* enum gn_rt */
	__u16 pad;
	__u64 value[GN_RT_VALUES];
};

/* The line of an await in an async method. h.key is unused. */
struct gn_rec_line {
	struct gn_rec h;
	__u32 func;
	__u32 pid;
	__s32 state; /* of the state machine there */
	__u32 line;
};

/* Frames of a sample's stack; deeper ones are cut. */
#define GN_SAMPLE_FRAMES 127

/*
 * What a thread ran at h.time, sampled by a clock. The stack follows, the
 * innermost frame first, as GN_FUNC ids of 32 bits. In the ring it has
 * addresses of 64 bits instead: of the next instruction, then the return
 * addresses. h.key is unused.
 */
struct gn_rec_sample {
	struct gn_rec h;
	__u32 size; /* of the whole record */
	__u32 pid;
	__u32 frames;
	__u32 pad;
};

/*
 * flags of SAMPLE, in the ring only: it is a struct gn_rec_interpreted; gnomon
 * knew the process's interpreter; there are more callers than the sample has,
 * or they could not be read.
 */
#define GN_F_NAMES_INTERPRETED 0x01
#define GN_F_INTERPRETED       0x02
#define GN_F_INTERPRETED_CUT   0x04

/* Functions of an interpreter in a sample's stack. There is room left for
 * native functions that the innermost one calls. In the ring, `pad` is their
 * number, and their indexes of 32 bits come before the addresses, filled up to
 * 64 bits. An index of 0: the name is lost. */
#define GN_INTERPRETED_FRAMES 120

/* A text of an interpreter as it is in memory: `bytes` of characters of `width`
 * bytes each, or of UTF-8. */
#define GN_INTERPRETED_TEXT 512
#define GN_INTERPRETED_UTF8 8

struct gn_interpreted_text {
	__u32 bytes;
	__u32 width; /* 0: there is none */
	char text[GN_INTERPRETED_TEXT];
};

/* What the owner of a function is to it. */
enum gn_interpreted_owner {
	GN_OWNER_NONE,
	GN_OWNER_MODULE, /* a module of Python */
	GN_OWNER_CLASS,	 /* a class or module of Ruby, which has the method */
	GN_OWNER_ITSELF, /* one whose own method it is */
	GN_OWNER_OBJECT, /* the class of the object whose own method it is */
	GN_OWNER_PHP,	 /* a class of PHP; it, or the name, can be missing */
};

#define GN_INTERPRETED_LEAD 40

/* Names an index of such a function. Only in the ring. */
struct gn_rec_interpreted {
	struct gn_rec h;
	__u32 index;
	__u32 line;
	__u32 owns; /* enum gn_interpreted_owner */
	__u32 lead_bytes;
	char lead[GN_INTERPRETED_LEAD]; /* "block in " */
	struct gn_interpreted_text owner, name, file;
};

/* Bytes of a sample with this many frames. */
static inline __u32 gn_sample_size(__u32 frames)
{
	return sizeof(struct gn_rec_sample) + (frames * 4 + 7) / 8 * 8;
}

/* The session's bounds: from h.time to `end` (0 while it runs). */
struct gn_rec_session {
	struct gn_rec h;
	__u64 end;
};

/* Longest NAME record that is accepted. */
#define GN_TEXT_MAX 4096

_Static_assert(sizeof(struct gn_rec) == 24, "header");
_Static_assert(sizeof(struct gn_rec_func) == 32, "the common record");
_Static_assert(sizeof(struct gn_rec_slice) == 40, "slice");
_Static_assert(sizeof(struct gn_rec_os_ns) == 32, "os-ns");
_Static_assert(sizeof(struct gn_rec_thread) == 56, "thread");
_Static_assert(sizeof(struct gn_rec_stack) == 40, "stack");
_Static_assert(sizeof(struct gn_rec_ring) == 56, "ring");
_Static_assert(sizeof(struct gn_rec_text) == 40, "text");
_Static_assert(sizeof(struct gn_rec_count) == 40, "count");
_Static_assert(sizeof(struct gn_rec_session) == 32, "session");
_Static_assert(sizeof(struct gn_rec_sched) == 64, "sched");
_Static_assert(sizeof(struct gn_rec_kernel) == 112, "kernel");
_Static_assert(sizeof(struct gn_rec_cost) == 48, "cost");
_Static_assert(sizeof(struct gn_rec_now) == 48, "now");
_Static_assert(sizeof(struct gn_rec_mute) == 32, "mute");
_Static_assert(sizeof(struct gn_rec_unprobed) == 40, "unprobed");
_Static_assert(sizeof(struct gn_rec_value) == 112, "value");
_Static_assert(sizeof(struct gn_rec_line) == 40, "line");
_Static_assert(sizeof(struct gn_rec_event) == 48, "event");
_Static_assert(sizeof(struct gn_rec_sample) == 40, "sample");
_Static_assert(sizeof(struct gn_rec_interpreted) == 1640, "interpreted");

#endif
