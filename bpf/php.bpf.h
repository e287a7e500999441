/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads which PHP functions the current thread runs. */
#ifndef GNOMON_PHP_BPF_H
#define GNOMON_PHP_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>

#include <gnomon/event.h>
#include <gnomon/interpreter.h>

#include "walk.bpf.h"

/* What begins a frame. */
struct gn_php_frame {
	__u64 opline;
	__u64 call;
	__u64 result;
	__u64 function;
	__u64 this[2];
	__u64 previous;
};

/* What begins a function. */
struct gn_php_function {
	__u8 type;
	__u8 arguments[3];
	__u32 flags;
	__u64 name;
	__u64 class;
};

enum {
	GN_PHP_INTERNAL = 1,
	GN_PHP_OF_SCRIPT = 2,
	GN_PHP_OF_EVAL = 4,
};

/* Offsets that are the same in all versions that are known. */
#define GN_PHP_CLASS_NAME  8
#define GN_PHP_TEXT_LENGTH 16
#define GN_PHP_TEXT_BYTES  24
#define GN_PHP_MODULE_NAME 32 /* in an extension: a text in C */

/* Reads a text; what is longer than there is room is cut. 0 as the address:
 * there is none. */
static __noinline bool php_text(struct gn_interpreted_text *to, __u64 text)
{
	__u64 bytes;

	if (!to)
		return false;
	to->bytes = 0;
	to->width = 0;
	if (!text)
		return true;
	if (!user_word(&bytes, text + GN_PHP_TEXT_LENGTH))
		return false;
	return walk_text(to, text + GN_PHP_TEXT_BYTES, bytes);
}

/* The file of a function: the script's, or the extension that it is in. */
static __always_inline bool php_file(struct gn_interpreted_text *to,
				     const struct gn_walk *w)
{
	__u64 name;
	long bytes;

	if (w->kind == GN_PHP_INTERNAL) {
		to->width = GN_INTERPRETED_UTF8;
		to->bytes = 0;
		if (!w->key.file)
			return true;
		if (!user_word(&name, w->key.file + GN_PHP_MODULE_NAME))
			return false;
		bytes = bpf_probe_read_user_str(to->text, sizeof(to->text),
						(void *)name);
		if (bytes <= 0)
			return false;
		to->bytes = bytes - 1;
		return true;
	}
	return php_text(to, w->key.file);
}

/* Sends the name of the walk's function. 0: it is lost. Not static: see
 * emit_slices(). */
__noinline __u32 php_name(struct gn_walk *w)
{
	struct gn_rec_interpreted *r;
	__u32 index = 0;
	__u64 class = 0;

	if (!w)
		return 0;
	r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);
	if (!r)
		return 0;
	r->owns = GN_OWNER_PHP;
	r->lead_bytes = 0;
	if ((!w->key.owner ||
	     user_word(&class, w->key.owner + GN_PHP_CLASS_NAME)) &&
	    php_text(&r->owner, class) && php_text(&r->name, w->key.name) &&
	    php_file(&r->file, w))
		index = walk_index(w, true);
	walk_send(w, r, index);
	return index;
}

/* Fills in the key of a function. Copies of one, as closures have, share their
 * code. */
static __always_inline __u32 php_key(struct gn_walk *w, __u64 at)
{
	const struct gn_php_layout *php = &w->its.php;
	struct gn_php_function f;
	__u32 line = 0;
	bool internal;

	if (!user_read(&f, sizeof(f), at))
		return GN_WALK_UNREAD;
	internal = f.type == GN_PHP_INTERNAL;
	if (!internal && f.type != GN_PHP_OF_SCRIPT && f.type != GN_PHP_OF_EVAL)
		return GN_WALK_STRANGE;
	if (!user_word(&w->key.code,
		       at + (internal ? php->handler : php->code)) ||
	    !user_word(&w->key.file,
		       at + (internal ? php->module : php->file)) ||
	    (!internal && !user_read(&line, sizeof(line), at + php->line)))
		return GN_WALK_UNREAD;
	w->kind = f.type;
	w->key.name = f.name;
	w->key.owner = f.class;
	w->key.line = line;
	return 0;
}

/* Takes a frame and goes to its caller. Not static: see emit_slices(). Returns
 * 0 if there is no further one. */
__noinline int php_step(struct gn_walk *w)
{
	struct gn_php_frame f;
	__u32 index;

	if (!w)
		return 0;
	if (!user_read(&f, sizeof(f), w->frame)) {
		w->no = GN_WALK_UNREAD;
		return 0;
	}
	w->frame = f.previous;
	if (f.function) {
		if (walk_full(w))
			return 0;
		w->no = php_key(w, f.function);
		if (w->no)
			return 0;
		index = walk_known(w) ?: php_name(w);
		if (!index)
			walk_count(w, GN_INTERPRETED_NAMES);
		walk_add(w, index);
	}
	return f.previous != 0;
}

/* Reads the PHP functions that the process runs, in its first thread. */
static __always_inline void php_walk(struct gn_walk *w, bool first)
{
	int i;

	w->no = GN_WALK_OUTSIDE;
	if (!first)
		return;
	if (!user_word(&w->frame,
		       w->its.addr[GN_PHP_GLOBALS] + w->its.php.current)) {
		w->no = GN_WALK_UNREAD;
		return;
	}
	if (!w->frame)
		return;
	w->no = 0;
	for (i = 0; i < GN_WALK_STEPS; i++)
		if (!php_step(w))
			break;
	walk_end(w, i);
}

#endif
