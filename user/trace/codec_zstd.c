/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/codec.h"

#ifndef GNOMON_ZSTD

const struct gn_codec *const gn_codec_zstd;

#else

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

struct compressor {
	ZSTD_CCtx *zstd;
	ZSTD_outBuffer out;
};

static void compressor_free(void *state)
{
	struct compressor *c = state;

	if (c)
		ZSTD_freeCCtx(c->zstd);
	free(c);
}

static void *compressor(int level)
{
	struct compressor *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->zstd = ZSTD_createCCtx();
	if (c->zstd && !ZSTD_isError(ZSTD_CCtx_setParameter(
			       c->zstd, ZSTD_c_compressionLevel, level)))
		return c;
	compressor_free(c);
	return NULL;
}

/* One byte more, because a full buffer is an error. */
static size_t bound(void *state, size_t n)
{
	(void)state;
	return ZSTD_compressBound(n) + 1;
}

static int begin(void *state, void *out, size_t room)
{
	struct compressor *c = state;

	c->out = (ZSTD_outBuffer){.dst = out, .size = room};
	return ZSTD_isError(ZSTD_CCtx_reset(c->zstd, ZSTD_reset_session_only))
		       ? -EIO
		       : 0;
}

static int compress(struct compressor *c, const void *part, size_t n,
		    ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = {.src = part, .size = n};
	size_t left;

	do {
		left = ZSTD_compressStream2(c->zstd, &c->out, &in, how);
		if (ZSTD_isError(left) || c->out.pos == c->out.size)
			return -EIO;
	} while (in.pos < n || (how == ZSTD_e_end && left));
	return 0;
}

static int put(void *state, const void *part, size_t n)
{
	return compress(state, part, n, ZSTD_e_continue);
}

static int end(void *state, size_t *size)
{
	struct compressor *c = state;
	int err = compress(c, NULL, 0, ZSTD_e_end);

	*size = c->out.pos;
	return err;
}

static void *decompressor(void)
{
	return ZSTD_createDCtx();
}

static void decompressor_free(void *state)
{
	ZSTD_freeDCtx(state);
}

static int decompress(void *state, const void *in, size_t n, void *out,
		      size_t room, size_t *size)
{
	*size = ZSTD_decompressDCtx(state, out, room, in, n);
	if (!ZSTD_isError(*size))
		return 0;
	return ZSTD_getErrorCode(*size) == ZSTD_error_memory_allocation
		       ? -ENOMEM
		       : -EBADMSG;
}

static const struct gn_codec codec = {
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

const struct gn_codec *const gn_codec_zstd = &codec;

#endif
