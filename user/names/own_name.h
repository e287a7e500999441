/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that people know functions by, where a compiler made others of them.
 * Names come from traced programs: any text.
 */
#ifndef GNOMON_NAMES_OWN_NAME_H
#define GNOMON_NAMES_OWN_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* A name's room; a longer one has no own name. */
#define GN_OWN_NAME_MAX 2048

/*
 * The method that a .NET state machine was made of, an async one or an
 * iterator: "N.P+<Fetch>d__3<int>.MoveNext()" is "N.P.Fetch<int>". What stands
 * for a MoveNext of the machine's type may be a glob: "N.P+<Fetch>d__3.*".
 * False: `name` is of no such method, or there is no room.
 */
bool gn_own_name(const char *name, char *own, size_t size);

#endif
