/* SPDX-License-Identifier: BSD-2-Clause */
/* Optional libraries that formats need. If this build lacks one, the functions
 * of the format are NULL, and gnomon reports what is missing. */
#ifndef GNOMON_OUTPUT_NEEDS_H
#define GNOMON_OUTPUT_NEEDS_H

#define GN_NEEDS_NOTHING  NULL
#define GN_NEEDS_PROTOBUF "protobuf-c"

#define GN_BUILT_NOTHING(function) function
#ifdef GNOMON_PROTOBUF
#define GN_BUILT_PROTOBUF(function) function
#else
#define GN_BUILT_PROTOBUF(function) NULL
#endif

#endif
