/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options with which gnomon makes a running JVM load the hook-site library
 * for Java. A session: the word, the time until which somebody waits for it, in
 * seconds since 1970; 1 for fast hooks, 0 for probes; the number of gnomon's
 * own site (GN_SITE_OWN_MOST); a newline; the filter. Then its end. The JVM
 * takes at most GN_JAVA_OPTIONS_MAX bytes.
 */
#ifndef GNOMON_JAVA_H
#define GNOMON_JAVA_H

#define GN_JAVA_TRACE	    "trace "
#define GN_JAVA_END	    "end"
#define GN_JAVA_OPTIONS_MAX 1024

#endif
