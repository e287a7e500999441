/* SPDX-License-Identifier: BSD-2-Clause */
/* The time classes as the live view shows them. */
#ifndef GNOMON_TOP_CLASSES_H
#define GNOMON_TOP_CLASSES_H

#include <gnomon/time_class.h>

/*
 * X(class, short word, letter, what fits behind its word, colour of 8, colour
 * of 256, weight), in the order in which they are shown: waits by what is
 * waited for. The short word has at most 5 columns; the letter stands for the
 * class where there is no colour. Work is green and blue, the kernel's red,
 * waits are the others; of 8 colours some share one.
 */
#define GN_TOP_CLASS_LIST(X)                                          \
	X(APP, "app", 'a', "in own code", GREEN, 40, NORMAL)          \
	X(JIT, "jit", 'j', "compiling", BLUE, 39, BOLD)               \
	X(GC, "gc", 'g', "collecting", MAGENTA, 171, NORMAL)          \
	X(SUSPEND, "susp", 'p', "by the runtime", MAGENTA, 219, BOLD) \
	X(RUNQUEUE, "runq", 'q', "wants a CPU", YELLOW, 226, BOLD)    \
	X(SYSCALL, "sysc", 's', "in the kernel", RED, 196, NORMAL)    \
	X(FAULT, "fault", 'f', "page fault", RED, 208, BOLD)          \
	X(DISK, "disk", 'd', "file I/O", CYAN, 44, NORMAL)            \
	X(LOCK, "lock", 'l', "held by others", YELLOW, 136, NORMAL)   \
	X(EVENT, "event", 'e', "to be signalled", WHITE, 245, DIM)    \
	X(POLL, "poll", 'w', "event loop", WHITE, 242, DIM)           \
	X(NET, "net", 'n', "socket", CYAN, 159, BOLD)                 \
	X(IPC, "ipc", 'i', "pipe, eventfd", BLUE, 105, NORMAL)        \
	X(SLEEP, "sleep", 'z', "timed", WHITE, 240, DIM)              \
	X(OTHER, "other", 'o', "other wait", WHITE, 250, NORMAL)      \
	X(CHILD, "child", 'c', "a process", WHITE, 180, NORMAL)       \
	X(UNCLASSIFIED, "uncl", 'u', "", WHITE, 231, BOLD)

const char *gn_top_class_short(int class);
char gn_top_class_letter(int class);
const char *gn_top_class_help(int class);

/* The i-th class in the order in which they are shown. */
int gn_top_class_at(int i);

#endif
