/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the records of a chunk are compressed: by zstd where gnomon was built
 * with it, else by zlib. A file has one codec, which its version tells.
 */
#ifndef GNOMON_TRACE_CODEC_H
#define GNOMON_TRACE_CODEC_H

#include <stddef.h>

/* What a codec does with a state of its own: one to compress, or one to
 * decompress. */
struct gn_codec {
	/* `level`: 1 to 9. NULL: no memory. */
	void *(*compressor)(int level);
	void (*compressor_free)(void *state);
	/* the most that `n` bytes can become */
	size_t (*bound)(void *state, size_t n);
	/* One stream of several parts: begin, put each, end. 0 or -EIO. `room`
	 * is no less than the bound of all parts together, `size` gets how much
	 * was written. */
	int (*begin)(void *state, void *out, size_t room);
	int (*put)(void *state, const void *part, size_t n);
	int (*end)(void *state, size_t *size);

	void *(*decompressor)(void);
	void (*decompressor_free)(void *state);
	/* Exactly `n` bytes become `*size`, at most `room`. 0, -ENOMEM, -EIO,
	 * -EBADMSG: it is no such stream, or would become more. */
	int (*decompress)(void *state, const void *in, size_t n, void *out,
			  size_t room, size_t *size);
};

extern const struct gn_codec gn_codec_zlib;
/* NULL: gnomon was built without it. */
extern const struct gn_codec *const gn_codec_zstd;

#endif
