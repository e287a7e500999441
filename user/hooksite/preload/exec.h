/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that this one starts get the library, too. */
#ifndef GNOMON_HOOKSITE_PRELOAD_EXEC_H
#define GNOMON_HOOKSITE_PRELOAD_EXEC_H

#include <spawn.h>
#include <stdbool.h>

/* Finds the functions that this library has in front of. */
void gn_exec_begin(void);
/* Keeps what gnomon added to the environment, while it is there. */
void gn_exec_keep(char **envp);
/* After that: the site at which gnomon has a probe while it lives, whatever
 * other gnomons do. */
const void *gn_exec_own_site(void);
/* Whether gnomon traces this process now. */
bool gn_exec_is_traced(void);

/* What posix_spawn() does for a program. */
int gn_exec_spawn(pid_t *pid, const char *path,
		  const posix_spawn_file_actions_t *actions,
		  const posix_spawnattr_t *attr, char *const *argv,
		  char *const *envp);

#endif
