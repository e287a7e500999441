/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What gnomon and the hook-site library for Ruby agree on. */
#ifndef GNOMON_RUBY_H
#define GNOMON_RUBY_H

#define GN_RUBY_LIBRARY	 "libgnomon-ruby.so"
#define GN_RUBY_PROVIDER "gnomon_ruby"

/* Variables of the command's environment, which the library removes: "fast" or
 * "probes", the kind of hooks; and a filter (hooksite/ruby/filter.h). */
#define GN_RUBY_ENV	   "GNOMON_RUBY"
#define GN_RUBY_ENV_FILTER "GNOMON_RUBY_FILTER"
#define GN_RUBY_FAST	   "fast"
#define GN_RUBY_PROBES	   "probes"

/* The module of functions in C. */
#define GN_RUBY_NATIVE "C"

#endif
