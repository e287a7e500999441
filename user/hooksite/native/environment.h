/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_HOOKSITE_NATIVE_ENVIRONMENT_H
#define GNOMON_HOOKSITE_NATIVE_ENVIRONMENT_H

/*
 * Takes what gnomon added to the environment out of it, in place, so that
 * main()'s third argument has nothing of it either. Returns the descriptor that
 * GNOMON_SLEDS says, or -1.
 */
int gn_environment_restore(char **envp);

#endif
