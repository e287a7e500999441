/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interpreter starts itself in a new process (subprocess with
 * sys.executable, multiprocessing's spawn): what gnomon had added to its
 * environment is added to that of the new one, too. Other programs get nothing.
 */
#ifndef GNOMON_PYTHON_EXEC_H
#define GNOMON_PYTHON_EXEC_H

/* Finds the functions of the C library, in any program. */
void gn_exec_begin(void);

/* Keeps these variables before they are removed. */
void gn_exec_keep(char **envp);

#endif
