/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the classes of objects that hooks in IL see. A hook that sees a
 * class for the first time reports its name before it continues, so each value
 * has its name. The runtime gives no answers to a thread that runs managed
 * code, but it does to a thread that it does not know. So a thread of the
 * library resolves the names, and the hook waits for it. The object keeps its
 * class alive meanwhile.
 */
#ifndef GNOMON_CLR_CLASSES_H
#define GNOMON_CLR_CLASSES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cor.h"

/* Classes that a session reports; more have no names. */
#define GN_CLASSES_MAX	  4096u
#define GN_CLASSES_WINDOW 32u

struct gn_clr;

/* All zeros: there is no thread. */
struct gn_classes {
	pthread_mutex_t lock; /* for all; `seen` is read without it */
	bool started;	      /* the thread runs */
	bool late;	      /* it did not answer in time: no more questions,
			       * not before gn_classes_forget() */
	/* counts of names; the thread waits until `asked` is ahead */
	_Atomic uint32_t asked, resolved;
	gn_cor_id class; /* the class that is asked for, and its index */
	uint32_t index;
	_Atomic gn_cor_id seen[GN_CLASSES_MAX]; /* open addressing; 0: empty */
};

/* Starts the thread, unless it runs. Without it no class has a name. */
void gn_classes_start(struct gn_clr *clr);

/* For hooks. The place (GN_PLACE_ADDRESS) holds an object or null. */
void gn_classes_see(uint64_t place, struct gn_clr *clr);

/* Forgets all classes, so that hooks report names again: a session begins, or
 * classes are about to be unloaded, and others may get their method tables. */
void gn_classes_forget(struct gn_clr *clr);

#endif
