/* SPDX-License-Identifier: BSD-2-Clause */
#include "stackmap.h"

enum type {
	UNINITIALIZED_THIS = 6,
	OBJECT = 7,
	UNINITIALIZED = 8, /* with the offset of its `new` */
};

enum frame {
	SAME_MAX = 63,
	ONE_MAX = 127, /* the same locals, one slot on the stack */
	ONE_EXTENDED = 247,
	SAME_EXTENDED = 251,
	FULL = 255,
};

/* A frame has the distance from the one before, less one. The first has its
 * offset, as if one were before offset 0. */
struct frames {
	const struct gn_java_layout *l;
	struct gn_java_in *in;
	struct gn_java_out *out;
	int64_t last_old, last_new;
};

static void copy_types(struct frames *f, uint32_t n)
{
	while (n-- && !f->in->bad) {
		uint8_t tag = gn_java_u1(f->in);
		uint16_t v;

		gn_java_put_u1(f->out, tag);
		if (tag <= UNINITIALIZED_THIS)
			continue;
		v = gn_java_u2(f->in);
		if (tag == UNINITIALIZED) {
			if (!gn_java_is_op(f->l, v)) {
				f->in->bad = true;
				return;
			}
			v = (uint16_t)f->l->map[v];
		} else if (tag != OBJECT) {
			f->in->bad = true;
		}
		gn_java_put_u2(f->out, v);
	}
}

/* The distance of the new frame whose old distance this is. */
static uint32_t move(struct frames *f, uint32_t delta)
{
	int64_t at = f->last_old + delta + 1;
	int64_t to;

	if (at >= f->l->old.len || !gn_java_is_op(f->l, (uint32_t)at)) {
		f->in->bad = true;
		return 0;
	}
	to = f->l->map[at];
	delta = (uint32_t)(to - f->last_new - 1);
	f->last_old = at;
	f->last_new = to;
	return delta;
}

/* One without a distance in its tag: it has it in two bytes. */
static void copy_long(struct frames *f, uint8_t tag)
{
	uint16_t n;

	gn_java_put_u1(f->out, tag);
	gn_java_put_u2(f->out, move(f, gn_java_u2(f->in)));
	if (tag == ONE_EXTENDED) {
		copy_types(f, 1);
	} else if (tag > SAME_EXTENDED && tag < FULL) {
		copy_types(f, tag - SAME_EXTENDED);
	} else if (tag == FULL) {
		/* locals, then the stack */
		for (int i = 0; i < 2; i++) {
			n = gn_java_u2(f->in);
			gn_java_put_u2(f->out, n);
			copy_types(f, n);
		}
	}
}

static void copy_short(struct frames *f, uint8_t tag)
{
	bool one = tag > SAME_MAX;
	uint32_t delta = move(f, one ? tag - SAME_MAX - 1u : tag);

	if (delta <= SAME_MAX) {
		gn_java_put_u1(f->out, delta + (one ? SAME_MAX + 1 : 0));
	} else {
		gn_java_put_u1(f->out, one ? ONE_EXTENDED : SAME_EXTENDED);
		gn_java_put_u2(f->out, delta);
	}
	if (one)
		copy_types(f, 1);
}

/* Nothing is known of the locals. */
static void put_handler(struct frames *f, uint16_t throwable)
{
	gn_java_put_u1(f->out, FULL);
	gn_java_put_u2(f->out, (uint32_t)(f->l->handler - f->last_new - 1));
	gn_java_put_u2(f->out, 0);
	gn_java_put_u2(f->out, 1);
	gn_java_put_u1(f->out, OBJECT);
	gn_java_put_u2(f->out, throwable);
}

int gn_java_put_frames(const struct gn_java_layout *l, struct gn_java_in *in,
		       uint16_t throwable, struct gn_java_out *out)
{
	struct frames f = {l, in, out, -1, -1};
	uint32_t n = in->n ? gn_java_u2(in) : 0;

	if (n == UINT16_MAX)
		return GN_JAVA_TOO_LARGE;
	gn_java_put_u2(out, n + 1);
	while (n-- && !in->bad) {
		uint8_t tag = gn_java_u1(in);

		if (tag <= ONE_MAX)
			copy_short(&f, tag);
		else if (tag >= ONE_EXTENDED)
			copy_long(&f, tag);
		else
			in->bad = true;
	}
	if (in->bad || in->pos != in->n)
		return GN_JAVA_MALFORMED;
	put_handler(&f, throwable);
	return 0;
}
