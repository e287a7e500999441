// SPDX-License-Identifier: BSD-2-Clause
#include "codes.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS	 16384
#define METHOD_O 8 /* METH_O: one argument */

/* Data in the table. */
struct kept {
	struct kept *next;
	struct gn_py *code; /* not held */
	struct gn_py *ref;  /* a weak reference: its callback ends this */
	void *data;
};

static struct {
	void (*release)(void *data);
	long slot;
	struct gn_py *probe; /* code that never runs and never dies */
	bool crowded;	     /* the program has a slot, too */
	struct kept *bucket[BUCKETS];
} codes;

static struct kept **place_of(const struct gn_py *code)
{
	uint64_t hash = ((uintptr_t)code >> 4) * 0x9e3779b97f4a7c15u;
	struct kept **at = &codes.bucket[(hash >> 32) % BUCKETS];

	while (*at && (*at)->code != code)
		at = &(*at)->next;
	return at;
}

static void drop(struct kept **at)
{
	struct kept *k = *at;

	*at = k->next;
	codes.release(k->data);
	free(k);
}

/* The callback of a weak reference: `self` is the address of its code. */
static struct gn_py *code_ends(struct gn_py *self, struct gn_py *ref)
{
	struct kept **at = place_of((struct gn_py *)gn_py.number(self));

	/* any object will do as the result: the table's reference goes with
	 * it */
	if (*at && (*at)->ref == ref)
		drop(at);
	else
		gn_py.incref(ref);
	return ref;
}

static struct gn_py *watch(struct gn_py *code)
{
	static struct gn_py_method method = {"code_ends", code_ends, METHOD_O,
					     NULL};
	struct gn_py *self = gn_py.new_number((long)code);
	struct gn_py *call =
		self ? gn_py.new_native(&method, self, NULL) : NULL;
	struct gn_py *ref = call ? gn_py.new_ref(code, call) : NULL;

	if (call)
		gn_py.decref(call);
	if (self)
		gn_py.decref(self);
	return ref;
}

static bool keep_in_table(struct gn_py *code, void *data)
{
	struct kept *k = calloc(1, sizeof(*k)), **at;

	if (!k)
		return false;
	k->ref = watch(code);
	if (!k->ref) {
		gn_py.clear_error();
		free(k);
		return false;
	}
	k->code = code;
	k->data = data;
	at = place_of(code);
	k->next = *at;
	*at = k;
	return true;
}

/* No function tells how many slots there are. But only data in one that exists
 * can be set. */
static bool is_crowded(void)
{
	if (codes.crowded)
		return true;
	codes.crowded = !gn_py.set_extra(codes.probe, codes.slot + 1, NULL);
	if (!codes.crowded)
		gn_py.clear_error();
	return codes.crowded;
}

bool gn_codes_begin(void (*release)(void *data))
{
	/* left by an interpreter that has ended */
	for (size_t i = 0; codes.release && i < BUCKETS; i++)
		while (codes.bucket[i])
			drop(&codes.bucket[i]);
	codes.release = release;
	codes.slot = gn_py.request_extra(release);
	codes.crowded = codes.slot > 0;
	codes.probe = gn_py.empty_code("", "", 1);
	if (!codes.probe)
		gn_py.clear_error();
	return codes.slot >= 0 && codes.probe;
}

bool gn_codes_fit(void)
{
	return gn_py.request_extra(codes.release) == codes.slot;
}

void *gn_codes_get(struct gn_py *code)
{
	void *data = NULL;

	if (gn_py.get_extra(code, codes.slot, &data))
		gn_py.clear_error();
	if (!data && codes.crowded) {
		struct kept *k = *place_of(code);

		data = k ? k->data : NULL;
	}
	return data;
}

bool gn_codes_keep(struct gn_py *code, void *data)
{
	if (is_crowded())
		return keep_in_table(code, data);
	if (!gn_py.set_extra(code, codes.slot, data))
		return true;
	gn_py.clear_error();
	return false;
}
