/* SPDX-License-Identifier: BSD-2-Clause */
/* Extensions that run the program's code by themselves, past the hook, such as
 * pcov. */
#ifndef GNOMON_HOOKSITE_PHP_HIDDEN_H
#define GNOMON_HOOKSITE_PHP_HIDDEN_H

/* The engine is starting: if such an extension comes after that, each process
 * says so when it ends. */
void gn_hidden_begin(void);

#endif
