/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "trace/trace.h"

const char *gn_trace_strerror(int err)
{
	const char *text;

	if (err < 0)
		err = -err;
	switch (err) {
	case GN_TRACE_OK:
		return "the trace file is whole";
	case GN_TRACE_NOT_A_TRACE:
		return "it is not a trace file of gnomon";
	case GN_TRACE_VERSION:
		return "it is a trace file of another format version";
	case GN_TRACE_CORRUPT:
		return "the trace file is damaged";
	case GN_TRACE_EMPTY:
		return "the file is empty";
	case GN_TRACE_CUT:
		return "the trace file was cut off";
	case EBADF: /* on a standard stream */
		return "it is closed";
	case ETIMEDOUT: /* on a pipe */
		return "nobody reads it";
	case GN_TRACE_UNSAFE:
		return "a symbolic link of another user leads there";
	case GN_TRACE_ZSTD:
		return "it is compressed by zstd, and this gnomon was built "
		       "without it";
	default:
		text = strerrordesc_np(err);
		return text ? text : "unknown error";
	}
}
