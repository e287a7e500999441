/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters of a session: losses by cause, and what else a reader must know
 * about the capture. */
#ifndef GNOMON_COUNTER_H
#define GNOMON_COUNTER_H

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
	X(PYTHON_STACKS, 20, "python-stacks", 0,                              \
	  "samples with Python functions")                                    \
	X(PYTHON_OUTSIDE, 21, "python-outside", 0,                            \
	  "samples of a Python process whose thread ran no Python function")  \
	X(PYTHON_UNREAD, 22, "python-unread", 0,                              \
	  "samples whose Python functions could not be read: the memory was " \
	  "not there")                                                        \
	X(PYTHON_STRANGE, 23, "python-strange", 0,                            \
	  "samples whose Python functions could not be read: the memory was " \
	  "not as that version of CPython has it")                            \
	X(PYTHON_EARLY, 24, "python-early", 0,                                \
	  "samples without Python functions: gnomon did not know yet that "   \
	  "the process runs Python")                                          \
	X(PYTHON_UNKNOWN, 25, "python-unknown", 0,                            \
	  "samples without Python functions: gnomon does not know that "      \
	  "version of CPython")                                               \
	X(PYTHON_CUT, 26, "python-cut", 0,                                    \
	  "samples with more Python functions than are recorded")             \
	X(PYTHON_NAMES, 27, "python-names", 0,                                \
	  "Python functions in samples whose name was lost")

enum gn_counter {
#define GN_COUNTER_ENUM(name, value, text, loss, meaning) \
	GN_COUNTER_##name = (value),
	GN_COUNTER_LIST(GN_COUNTER_ENUM)
#undef GN_COUNTER_ENUM
		GN_COUNTER_COUNT
};

#endif
