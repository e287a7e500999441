/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the launcher and the hook-site library for the CLR agree on: the class
 * that the runtime asks the library for, and the environment.
 */
#ifndef GNOMON_CLR_CLSID_H
#define GNOMON_CLR_CLSID_H

/* The value of CORECLR_PROFILER. */
#define GN_CLR_CLSID "{0AAF3BF7-CBCD-4A66-BD69-F9B5BF0E19F9}"

/* The same as an initializer of struct gn_guid; and the class of the same
 * library beside another profiler, where it only gets notifications. */
#define GN_CLR_CLSID_INIT	 GN_CLR_CLSID_OF(0xf9)
#define GN_CLR_CLSID_BESIDE_INIT GN_CLR_CLSID_OF(0xfa)
#define GN_CLR_CLSID_OF(last)                                          \
	{                                                              \
		0x0aaf3bf7, 0xcbcd, 0x4a66,                            \
		{                                                      \
			0xbd, 0x69, 0xf9, 0xb5, 0xbf, 0x0e, 0x19, last \
		}                                                      \
	}

#define GN_CLR_LIBRARY	    "libgnomon-clr.so"
#define GN_CLR_LIBRARY_MUSL "libgnomon-clr-musl.so"

/* Provider of the library's notes. */
#define GN_CLR_PROVIDER "gnomon_clr"

/* Which functions to hook: a filter as in filter.h; unset: all. */
#define GN_CLR_ENV_FILTER "GNOMON_CLR_FILTER"

/* "keep" or "refuse": whether functions may be inlined; unset or empty: they
 * may unless a filter asks for them. */
#define GN_CLR_ENV_INLINE "GNOMON_CLR_INLINE"

/* Families of events that the session wants (enum gn_family), in hexadecimal;
 * unset: none. */
#define GN_CLR_ENV_EVENTS "GNOMON_CLR_EVENTS"

/* An attach asks for a session, or for its end. After the word for a session
 * come the time until which somebody waits for it, in seconds since 1970; the
 * families as in GN_CLR_ENV_EVENTS; 1 for fast hooks, 0 for probes; the number
 * as in GN_CLR_ENV_LIVES; the length in bytes of the text as in
 * GN_CLR_ENV_VALUES; a newline; that text; and the filter. The longest request
 * is what fits into one message. */
#define GN_CLR_REQUEST_TRACE "trace\n"
#define GN_CLR_REQUEST_END   "end"
#define GN_CLR_REQUEST_MAX   (60u << 10)

/* "rejit": functions that a filter asks for get hooks in their IL, and all
 * other code stays as it is; "auto": the same, unless modules can be edited.
 * Otherwise the runtime makes the hooks (choose.h). */
#define GN_CLR_ENV_HOOKS "GNOMON_CLR_HOOKS"

/* Not empty: where possible, hooks write their records into memory that gnomon
 * reads. Otherwise each hook is a probe. */
#define GN_CLR_ENV_FAST "GNOMON_CLR_FAST"

/* The number of gnomon's own site in the library (GN_SITE_OWN_MOST). */
#define GN_CLR_ENV_LIVES "GNOMON_CLR_LIVES"

/* Functions whose arguments and results are asked for. Each has a line, which
 * ends with a newline: a character for each value (GN_ASKED_WORD and so on) in
 * the order of the records, a space, and a glob as in a filter. */
#define GN_CLR_ENV_VALUES "GNOMON_CLR_VALUES"

/* "off": the library tells the runtime to unload it again; else it works. */
#define GN_CLR_ENV_MODE "GNOMON_CLR_MODE"

#endif
