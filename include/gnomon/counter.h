/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters of a session: losses by cause, and what else a reader must know
 * about the capture. */
#ifndef GNOMON_COUNTER_H
#define GNOMON_COUNTER_H

/* Counters of samples in processes of an interpreter, from `first` on. */
#define GN_INTERPRETED_LIST(X, NAME, first, word, language, interpreter)     \
	X(NAME##_STACKS, first, word "-stacks", 0,                           \
	  "samples with " language " functions")                             \
	X(NAME##_OUTSIDE, (first) + 1, word "-outside", 0,                   \
	  "samples of a " language " process whose thread ran no " language  \
	  " function")                                                       \
	X(NAME##_UNREAD, (first) + 2, word "-unread", 0,                     \
	  "samples whose " language " functions could not be read: the "     \
	  "memory was not there")                                            \
	X(NAME##_STRANGE, (first) + 3, word "-strange", 0,                   \
	  "samples whose " language " functions could not be read: the "     \
	  "memory was not as that version of " interpreter " has it")        \
	X(NAME##_EARLY, (first) + 4, word "-early", 0,                       \
	  "samples without " language " functions: gnomon did not know yet " \
	  "that the process runs " language)                                 \
	X(NAME##_UNKNOWN, (first) + 5, word "-unknown", 0,                   \
	  "samples without " language " functions: gnomon does not know "    \
	  "that version of " interpreter)                                    \
	X(NAME##_CUT, (first) + 6, word "-cut", 0,                           \
	  "samples with more " language " functions than are recorded")      \
	X(NAME##_NAMES, (first) + 7, word "-names", 0,                       \
	  language " functions in samples whose name was lost")

/* The same, beside enum gn_interpreter_kind. */
enum gn_interpreted_counter {
	GN_INTERPRETED_STACKS,
	GN_INTERPRETED_OUTSIDE,
	GN_INTERPRETED_UNREAD,
	GN_INTERPRETED_STRANGE,
	GN_INTERPRETED_EARLY,
	GN_INTERPRETED_UNKNOWN,
	GN_INTERPRETED_CUT,
	GN_INTERPRETED_NAMES,
	GN_INTERPRETED_COUNTERS,
};

#define GN_COUNTER_INTERPRETED(kind, which) \
	(GN_COUNTER_PYTHON_STACKS + (kind)*GN_INTERPRETED_COUNTERS + (which))

/* X(enumerator, value, text, is it a loss of records, meaning). Trace files
 * store the values: append only. */
#define GN_COUNTER_LIST(X)                                                    \
	X(RING_FULL, 0, "ring-full", 1, "the ring buffer had no room")        \
	X(NO_STORAGE, 1, "no-storage", 1,                                     \
	  "the kernel had no memory for a thread's state")                    \
	X(BAD_READ, 2, "bad-read", 1,                                         \
	  "a name in the traced process could not be read")                   \
	X(SINK, 3, "sink", 1, "the trace file could not take a record")       \
	X(STACK_BUSY, 4, "stack-busy", 0,                                     \
	  "the mapping of a stack pointer could not be looked up")            \
	X(MISSED, 5, "missed", 1, "the kernel skipped a probe program")       \
	X(TORN, 6, "torn", 0, "OS time changed while an event was taken")     \
	X(FAULT_END, 7, "fault-end", 0,                                       \
	  "the end of a page fault was not seen; its time is app")            \
	X(STORAGE_BUSY, 8, "storage-busy", 1,                                 \
	  "the kernel did not look up a thread's state: another look-up was " \
	  "under way")                                                        \
	X(LATE, 9, "late", 1,                                                 \
	  "gnomon had no time to take a record before it ended")              \
	X(UNPROBED, 10, "unprobed", 0,                                        \
	  "a process ran before its probes were there")                       \
	X(UNPROBED_NS, 11, "unprobed-ns", 0, "how long they did, in all")     \
	X(NAMES_FULL, 12, "names-full", 1,                                    \
	  "there was no room for another function's name")                    \
	X(UNREADABLE, 13, "unreadable", 0,                                    \
	  "the memory of an argument or a result could not be read")          \
	X(VALUES_FULL, 14, "values-full", 1,                                  \
	  "there was no room for another function's arguments and results")   \
	X(NO_WAKER, 15, "no-waker", 0,                                        \
	  "the kernel skipped the program that notes who wakes a thread")     \
	X(SAMPLES_FULL, 16, "samples-full", 0,                                \
	  "the ring buffer had no room for a sample")                         \
	X(SAMPLES_BUSY, 17, "samples-busy", 0,                                \
	  "a sample came while gnomon's programs were under way")             \
	X(SAMPLES_EMPTY, 18, "samples-empty", 0,                              \
	  "the stack of a sample could not be read")                          \
	X(SAMPLES_LATE, 19, "samples-late", 0,                                \
	  "the kernel did not take a sample when it was due")                 \
	GN_INTERPRETED_LIST(X, PYTHON, 20, "python", "Python", "CPython")     \
	GN_INTERPRETED_LIST(X, RUBY, 28, "ruby", "Ruby", "Ruby")              \
	GN_INTERPRETED_LIST(X, PHP, 36, "php", "PHP", "PHP")

enum gn_counter {
#define GN_COUNTER_ENUM(name, value, text, loss, meaning) \
	GN_COUNTER_##name = (value),
	GN_COUNTER_LIST(GN_COUNTER_ENUM)
#undef GN_COUNTER_ENUM
		GN_COUNTER_COUNT
};

#endif
