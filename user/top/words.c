// SPDX-License-Identifier: BSD-2-Clause
#include "top/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "output/text.h"

const char *gn_top_state_word(enum gn_thread_state state)
{
	switch (state) {
	case GN_THREAD_RUNNING:
		return "running";
	case GN_THREAD_RUNNABLE:
		return "runnable";
	case GN_THREAD_WAITING:
		return "waiting";
	case GN_THREAD_ENDED:
		return "ended";
	default:
		return "unknown";
	}
}

const char *gn_top_target_word(enum gn_top_target target)
{
	switch (target) {
	case GN_TOP_ENDED:
		return "ended";
	case GN_TOP_KILLED:
		return "killed";
	default:
		return "running";
	}
}

void gn_top_time_text(char buf[GN_TOP_TIME], uint64_t wall)
{
	time_t seconds = (time_t)(wall / 1000000000u);
	unsigned int ms = (unsigned int)(wall / 1000000u % 1000u);
	char date[GN_TOP_TIME - 6] = "";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf, GN_TOP_TIME, "%s.%03uZ", date, ms);
}

/* Whether some programs split words at this character. */
static bool is_blank(int32_t c)
{
	return c == ' ' || c == 0xa0 || c == 0x1680 ||
	       (c >= 0x2000 && c <= 0x200a) || c == 0x202f || c == 0x205f ||
	       c == 0x3000;
}

static bool stands(int32_t c, bool utf8)
{
	return c >= 0 && c != '\\' && !is_blank(c) && gn_printable(c) &&
	       (utf8 || c < 0x80);
}

char *gn_top_word(const char *text, bool utf8)
{
	/* the longest: \xNN for a byte, \u{10ffff} for four */
	size_t size = strlen(text) * 4 + 5, at = 0, len;
	char *out = malloc(size);

	if (!out)
		return NULL;
	if (!*text || !strcmp(text, "-")) {
		strcpy(out, *text ? "\\x2d" : "-");
		return out;
	}
	for (; *text; text += len) {
		int32_t c = gn_utf8_next(text, &len);

		if (stands(c, utf8)) {
			memcpy(out + at, text, len);
			at += len;
		} else if (c < 0x80) { /* a byte that is no character is -1 */
			at += (size_t)snprintf(out + at, size - at, "\\x%02x",
					       (unsigned char)*text);
		} else {
			at += (size_t)snprintf(out + at, size - at,
					       "\\u{%" PRIx32 "}", (uint32_t)c);
		}
	}
	out[at] = '\0';
	return out;
}
