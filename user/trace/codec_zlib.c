/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/codec.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

static void *compressor(int level)
{
	z_stream *z = calloc(1, sizeof(*z));

	if (z && deflateInit(z, level) != Z_OK) {
		free(z);
		return NULL;
	}
	return z;
}

static void compressor_free(void *state)
{
	if (state)
		deflateEnd(state);
	free(state);
}

static size_t bound(void *state, size_t n)
{
	return deflateBound(state, n);
}

static int begin(void *state, void *out, size_t room)
{
	z_stream *z = state;

	if (deflateReset(z) != Z_OK)
		return -EIO;
	z->next_out = out;
	z->avail_out = (uInt)room;
	return 0;
}

static int put(void *state, const void *part, size_t n)
{
	z_stream *z = state;

	z->next_in = (unsigned char *)part;
	z->avail_in = (uInt)n;
	/* zlib fails on empty input */
	return n && deflate(z, Z_NO_FLUSH) != Z_OK ? -EIO : 0;
}

static int end(void *state, size_t *size)
{
	z_stream *z = state;

	if (deflate(z, Z_FINISH) != Z_STREAM_END)
		return -EIO;
	*size = z->total_out;
	return 0;
}

static void *decompressor(void)
{
	z_stream *z = calloc(1, sizeof(*z));

	if (z && inflateInit(z) != Z_OK) {
		free(z);
		return NULL;
	}
	return z;
}

static void decompressor_free(void *state)
{
	if (state)
		inflateEnd(state);
	free(state);
}

static int decompress(void *state, const void *in, size_t n, void *out,
		      size_t room, size_t *size)
{
	z_stream *z = state;
	int res;

	if (inflateReset(z) != Z_OK)
		return -EIO;
	z->next_in = (unsigned char *)in;
	z->avail_in = (uInt)n;
	z->next_out = out;
	z->avail_out = (uInt)room;
	res = inflate(z, Z_FINISH);
	if (res == Z_MEM_ERROR)
		return -ENOMEM;
	if (res != Z_STREAM_END || z->avail_in)
		return -EBADMSG;
	*size = room - z->avail_out;
	return 0;
}

const struct gn_codec gn_codec_zlib = {
	.compressor = compressor,
	.compressor_free = compressor_free,
	.bound = bound,
	.begin = begin,
	.put = put,
	.end = end,
	.decompressor = decompressor,
	.decompressor_free = decompressor_free,
	.decompress = decompress,
};
