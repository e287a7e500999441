/* SPDX-License-Identifier: BSD-2-Clause */
#include "names/text_stream.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define FIRST_SIZE 256

/* Makes room for `n` more bytes and a NUL. */
static bool grow(struct gn_text_stream *s, size_t n)
{
	size_t want = s->allocated ? s->allocated : FIRST_SIZE;
	char *text;

	if (n >= SIZE_MAX / 4 - s->size)
		return false;
	while (want <= s->size + n)
		want *= 2;
	if (want == s->allocated)
		return true;
	text = realloc(s->text, want);
	if (!text)
		return false;
	s->text = text;
	s->allocated = want;
	return true;
}

/* After a failure, nothing more is kept: the text would have a hole. */
static ssize_t put(void *cookie, const char *bytes, size_t n)
{
	struct gn_text_stream *s = cookie;

	if (s->failed || !grow(s, n)) {
		s->failed = true;
		errno = ENOMEM;
		return 0;
	}
	memcpy(s->text + s->size, bytes, n);
	s->size += n;
	return (ssize_t)n;
}

/* Serves ftell() only. */
static int tell(void *cookie, off64_t *offset, int whence)
{
	const struct gn_text_stream *s = cookie;

	if (whence != SEEK_CUR || *offset)
		return -1;
	*offset = (off64_t)s->size;
	return 0;
}

FILE *gn_text_stream_open(struct gn_text_stream *s)
{
	const cookie_io_functions_t io = {.write = put, .seek = tell};

	*s = (struct gn_text_stream){0};
	s->f = fopencookie(s, "w", io);
	return s->f;
}

char *gn_text_stream_close(struct gn_text_stream *s)
{
	if (fclose(s->f) || s->failed || !grow(s, 0)) {
		free(s->text);
		return NULL;
	}
	s->text[s->size] = '\0';
	return s->text;
}
