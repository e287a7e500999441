/* SPDX-License-Identifier: BSD-2-Clause */
/* Native programs with sleds, as a runtime: the sites of their hook-site
 * library. It is not in the list of runtimes, because it recognises nothing. */
#ifndef GNOMON_RUNTIME_SLEDS_H
#define GNOMON_RUNTIME_SLEDS_H

#include "runtime/runtime.h"

extern const struct gn_runtime gn_runtime_sleds;

#endif
