/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signatures for hooks in IL that a module has already. Its metadata is then
 * not opened for writing, for which the runtime would copy all of it: 45 ms for
 * a compiler's. From then on it would also take a lock at each use of it.
 */
#ifndef GNOMON_CLR_BORROW_H
#define GNOMON_CLR_BORROW_H

#include "il.h"
#include "metadata.h"

/*
 * Finds a method with one parameter, whose signature serves to call hooks: its
 * object stands for the index, and its parameter for the address of a local.
 * `by_ref` and `pops` are set, too. 0: the module has no such method.
 */
gn_token gn_borrow_call(const struct gn_md *md, struct gn_il_borrowed *out);

/*
 * Finds a slot whose address hooks get, and which can hold the result at the
 * method's end: a local behind those of the method, by a signature that another
 * method has; or else a local or an argument of its own, which are not used any
 * more at its end. Sets the slot, the token of the locals, and whether there is
 * a result. `method`: its row; `locals`: the token of its own locals. False:
 * there is none.
 */
bool gn_borrow_slot(const struct gn_md *md, uint32_t method, gn_token locals,
		    struct gn_il_hooks *hooks);

#endif
