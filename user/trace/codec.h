/* SPDX-License-Identifier: BSD-2-Clause */
/* How the records of a chunk are compressed: by zstd if gnomon was built with
 * it, else by zlib. A file has one codec, given by its version. */
#ifndef GNOMON_TRACE_CODEC_H
#define GNOMON_TRACE_CODEC_H

#include <stddef.h>

/* The functions of a codec. Each state is either for compression or for
 * decompression. */
struct gn_codec {
	/* `level`: 1 to 9. NULL: no memory. */
	void *(*compressor)(int level);
	void (*compressor_free)(void *state);
	/* the largest size that `n` bytes can become */
	size_t (*bound)(void *state, size_t n);
	/* One stream of several parts: begin, put each, end. 0 or -EIO. `room`
	 * must be at least the bound of all parts together. `size` gets the
	 * bytes written. */
	int (*begin)(void *state, void *out, size_t room);
	int (*put)(void *state, const void *part, size_t n);
	int (*end)(void *state, size_t *size);

	void *(*decompressor)(void);
	void (*decompressor_free)(void *state);
	/* Decompresses exactly `n` bytes to `*size` bytes, at most `room`. 0,
	 * -ENOMEM, -EIO, -EBADMSG: it is not such a stream, or would exceed
	 * `room`. */
	int (*decompress)(void *state, const void *in, size_t n, void *out,
			  size_t room, size_t *size);
};

extern const struct gn_codec gn_codec_zlib;
/* NULL: gnomon was built without it. */
extern const struct gn_codec *const gn_codec_zstd;

#endif
