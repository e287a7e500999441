/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by unseen.c (the programs) and unseen_globs.c. */
#ifndef GNOMON_CAPTURE_UNSEEN_PARTS_H
#define GNOMON_CAPTURE_UNSEEN_PARTS_H

#include "capture/unseen.h"

/* What was seen of runtimes and their methods. */
struct gn_unseen_methods {
	bool hooked;   /* some runtime has its library */
	bool unhooked; /* some has none, which is reported */
	bool lists;    /* one that has can list its functions */
	bool attached; /* to programs that ran already */
	/* some modules have no hooks; some requested methods can have none */
	bool modules_left, no_il, abstract;
	bool archives; /* a JVM has none, as they would be in its archive */
};

struct gn_unseen_methods gn_unseen_methods(const struct gn_unseen *u);

#endif
