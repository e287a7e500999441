/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of timelines. */
#include <stdio.h>

#include <gnomon/runtime_event_info.h>
#include "output/timeline.h"

const char *gn_timeline_begin_text(enum gn_frame_begin how)
{
	static const char *const text[] = {
		[GN_BEGIN_CALL] = "call",
		[GN_BEGIN_INHERITED] = "inherited",
		[GN_BEGIN_AGAIN] = "again",
		[GN_BEGIN_RESUMED] = "resumed",
	};

	return text[how];
}

const char *gn_timeline_end_text(enum gn_frame_end how)
{
	static const char *const text[] = {
		[GN_END_LEFT] = NULL,	    [GN_END_UNWOUND] = "unwound",
		[GN_END_CAUGHT] = "caught", [GN_END_OPEN] = "open",
		[GN_END_AGAIN] = "again",   [GN_END_SUSPENDED] = "suspended",
	};

	return text[how];
}

const char *gn_timeline_activity_text(enum gn_activity_kind what)
{
	static const char *const text[] = {
		[GN_DOES_JIT] = "JIT",
		[GN_DOES_GC] = "GC",
		[GN_DOES_SUSPEND] = "suspension",
	};

	return text[what];
}

const char *gn_timeline_event_text(char name[GN_EVENT_NAME], uint32_t event)
{
	const struct gn_rt_info *info = gn_rt_info(event);

	snprintf(name, GN_EVENT_NAME, "%s%s", info->text ? info->text : "",
		 info->phase == GN_RT_END ? " ends" : "");
	return name;
}
