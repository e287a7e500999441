/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_HOOKSITE_NATIVE_ENVIRONMENT_H
#define GNOMON_HOOKSITE_NATIVE_ENVIRONMENT_H

/*
 * Removes what gnomon added to the environment, in place, so that main()'s
 * third argument does not have it either. Returns the descriptor in
 * GNOMON_SLEDS, or -1.
 */
int gn_environment_restore(char **envp);

#endif
