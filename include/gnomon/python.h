/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What gnomon and the hook-site library for CPython agree on. */
#ifndef GNOMON_PYTHON_H
#define GNOMON_PYTHON_H

#define GN_PYTHON_LIBRARY  "libgnomon-python.so"
#define GN_PYTHON_PROVIDER "gnomon_python"

/* Variables of the command's environment, which the library removes: "fast" or
 * "probes", the kind of hooks; and a filter (hooksite/python/filter.h). */
#define GN_PYTHON_ENV	     "GNOMON_PYTHON"
#define GN_PYTHON_ENV_FILTER "GNOMON_PYTHON_FILTER"
#define GN_PYTHON_FAST	     "fast"
#define GN_PYTHON_PROBES     "probes"

#endif
