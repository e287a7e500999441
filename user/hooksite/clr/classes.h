/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the classes of objects that hooks in IL see. A class that is seen
 * for the first time is told before the hook goes on, so each value has its
 * name. The runtime answers no thread that runs managed code, but any that it
 * does not know: so a thread of the library resolves names, and the hook waits
 * for it. The object keeps its class alive meanwhile.
 */
#ifndef GNOMON_CLR_CLASSES_H
#define GNOMON_CLR_CLASSES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cor.h"

/* Classes of a session that are told; more have no names. */
#define GN_CLASSES_MAX	  4096u
#define GN_CLASSES_WINDOW 32u

struct gn_clr;

/* All zeros has no thread. */
struct gn_classes {
	pthread_mutex_t lock; /* of all but `seen`, which it only changes */
	bool started;	      /* the thread is there */
	bool late;	      /* it did not answer in time: no more questions */
	/* names, so far; the thread waits for the first to be ahead */
	_Atomic uint32_t asked, resolved;
	gn_cor_id class; /* that is asked for, and its index */
	uint32_t index;
	_Atomic gn_cor_id seen[GN_CLASSES_MAX]; /* open addressing; 0: empty */
};

/* Starts the thread, if it is not there. Without it no class has a name. */
void gn_classes_start(struct gn_clr *clr);

/* A hook's: there is an object at the place (GN_PLACE_ADDRESS), or none. */
void gn_classes_see(uint64_t place, struct gn_clr *clr);

/* Names are told anew: a session begins, or classes are to be unloaded, whose
 * method tables can be others' then. */
void gn_classes_forget(struct gn_clr *clr);

#endif
