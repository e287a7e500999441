// SPDX-License-Identifier: BSD-2-Clause
/* The requested values of functions: their specs, and where a hit finds
 * them. */
#include "capture/session_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <gnomon/control.h>
#include "gnomon.skel.h"
#include "runtime/values.h"

/* Adds the spec of a kind with the i-th values. Its index, or -errno. */
static int add_spec(struct gn_session *s, enum gn_kind kind, size_t i)
{
	struct gn_spec spec = {
		.kind = kind,
		.flags = GN_SPEC_VALUES,
		.values = (uint32_t)i + 1,
		.func.how = GN_HOW_COOKIE,
		.key.how = GN_HOW_COOKIE,
	};

	return gn_specs_add(&s->specs, &spec);
}

/* Adds the specs of calls with the i-th values. 0 or -errno. */
static int add_specs(struct gn_session *s, size_t i, struct gn_valued *v)
{
	int enter = add_spec(s, GN_KIND_ENTER, i), leave;

	if (enter < 0)
		return enter;
	leave = add_spec(s, GN_KIND_LEAVE, i);
	if (leave < 0)
		return leave;
	v->enter = (uint32_t)enter;
	v->leave = (uint32_t)leave;
	return 0;
}

static int load_hit(struct gn_session *s, const struct gn_hit_values *h)
{
	int err = bpf_map_update_elem(bpf_map__fd(s->skel->maps.values),
				      &h->spec, &h->values, BPF_ANY);

	return err
		       ?: bpf_map_update_elem(bpf_map__fd(s->skel->maps.specs),
					      &h->spec, &s->specs.spec[h->spec],
					      BPF_ANY);
}

/* Adds a spec, which many sites of a probe share. For a library that is mapped
 * later, loads it at once. */
static int add_values(struct gn_session *s, enum gn_kind kind,
		      const struct gn_value_specs *values)
{
	size_t n = s->nhit_values;
	struct gn_hit_values *grown, *h;
	int got, err;

	for (size_t i = 0; i < n; i++)
		if (s->specs.spec[s->hit_values[i].spec].kind == kind &&
		    !memcmp(&s->hit_values[i].values, values, sizeof(*values)))
			return (int)s->hit_values[i].spec;
	got = add_spec(s, kind, s->opts.nasked + n);
	if (got < 0)
		return got;
	grown = reallocarray(s->hit_values, n + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	s->hit_values = grown;
	h = &grown[s->nhit_values++];
	*h = (struct gn_hit_values){.values = *values, .spec = (uint32_t)got};
	err = s->skel ? load_hit(s, h) : 0;
	if (err)
		s->nhit_values--; /* the next site must not take it */
	return err ? err : got;
}

static int add_hit(void *hits, const struct gn_value_specs *values)
{
	return add_values(hits, GN_KIND_HIT, values);
}

static int add_call(void *hits, const struct gn_value_specs *values,
		    struct gn_valued *v)
{
	int enter = add_values(hits, GN_KIND_ENTER, values), leave;

	if (enter < 0)
		return enter;
	leave = add_values(hits, GN_KIND_LEAVE, values);
	if (leave < 0)
		return leave;
	v->enter = (uint32_t)enter;
	v->leave = (uint32_t)leave;
	return 0;
}

int gn_values_plan(struct gn_session *s)
{
	int err = 0;

	s->valued = calloc(s->opts.nasked + 1, sizeof(*s->valued));
	if (!s->valued)
		return -ENOMEM;
	s->functions.valued = s->valued;
	s->functions.hit = add_hit;
	s->functions.call = add_call;
	s->functions.hits = s;
	for (size_t i = 0; i < s->opts.nasked && !err; i++) {
		const char *glob = s->opts.asked[i].function;
		struct gn_valued *v = &s->valued[i];

		v->values = &s->opts.asked[i].values;
		v->filter = gn_filter_new(&glob, 1);
		if (!v->filter)
			return -ENOMEM;
		s->functions.nvalued++;
		if (gn_filter_is_usdt(glob))
			continue;
		err = add_specs(s, i, v);
	}
	return err;
}

/* Keeps the values that are in registers. */
static struct gn_value_specs native(const struct gn_value_specs *asked)
{
	struct gn_value_specs specs = {0};

	for (size_t i = 0; i < GN_VALUES_MAX; i++)
		if (asked->value[i].at.how != GN_HOW_NONE)
			specs.value[i] = asked->value[i];
	return specs;
}

/* Strings of .NET are not strings of C. */
static void set_text(struct gn_value_spec *v)
{
	if (v->type == GN_VALUE_STR)
		v->type = GN_VALUE_NETSTR;
}

/*
 * Where a value is at a runtime's hook. The calling convention is that of C;
 * with `of_object`, one more value comes before the arguments. r15 points to
 * the arguments on the stack.
 */
static struct gn_value_specs managed(const struct gn_value_specs *asked,
				     bool of_object)
{
	static const uint8_t next[] = {
		[GN_REG_DI] = GN_REG_SI, [GN_REG_SI] = GN_REG_DX,
		[GN_REG_DX] = GN_REG_CX, [GN_REG_CX] = GN_REG_R8,
		[GN_REG_R8] = GN_REG_R9, [GN_REG_R9] = GN_REG_R15,
	};
	struct gn_value_specs specs = native(asked);

	for (size_t i = 0; i < GN_VALUES_MAX; i++) {
		struct gn_value_spec *v = &specs.value[i];

		set_text(v);
		if (!of_object || !v->which)
			continue;
		v->at.reg = next[v->at.reg];
		if (v->at.reg != GN_REG_R15)
			continue;
		v->at.how = GN_HOW_MEMORY;
		v->at.index = GN_REG_NONE;
	}
	return specs;
}

/* The `n`-th place for a value of a hook in IL, which follows the calling
 * convention of C: after the function and the frame, and on the stack after the
 * return address. */
static struct gn_operand place(unsigned int n)
{
	static const uint8_t registers[] = {GN_REG_DX, GN_REG_CX, GN_REG_R8,
					    GN_REG_R9};
	struct gn_operand at = {.size = 8, .index = GN_REG_NONE};

	if (n < sizeof(registers)) {
		at.how = GN_HOW_REGISTER;
		at.reg = registers[n];
	} else {
		at.how = GN_HOW_MEMORY;
		at.reg = GN_REG_SP;
		at.value = 8 * (int64_t)(n - sizeof(registers) + 1);
	}
	return at;
}

/* Where values are at a hook in IL, in the order in which they are
 * requested. */
static struct gn_value_specs by_places(const struct gn_value_specs *asked)
{
	struct gn_value_specs specs = *asked;
	unsigned int n = 0;

	for (size_t i = 0; i < GN_VALUES_MAX && specs.value[i].type; i++) {
		struct gn_value_spec *v = &specs.value[i];

		set_text(v);
		v->there = v->at.size;
		v->at = place(v->which ? n++ : 0);
	}
	return specs;
}

static int load_managed(int map, const struct gn_value_specs *asked, size_t i)
{
	const struct gn_value_specs specs[] = {
		[GN_VALUED_PLAIN] = managed(asked, false),
		[GN_VALUED_OF_OBJECT] = managed(asked, true),
		[GN_VALUED_PLACES] = by_places(asked),
	};
	int err = 0;

	for (uint32_t how = 0; how < GN_VALUED_HOW_COUNT && !err; how++) {
		uint32_t at = GN_VALUED((uint32_t)i, how);

		err = bpf_map_update_elem(map, &at, &specs[how], BPF_ANY);
	}
	return err;
}

int gn_values_load(struct gn_session *s)
{
	int map = bpf_map__fd(s->skel->maps.values), err = 0;

	for (size_t i = 0; i < s->functions.nvalued && !err; i++) {
		const struct gn_value_specs *asked = &s->opts.asked[i].values;
		const struct gn_value_specs own = native(asked);
		const struct gn_valued *v = &s->valued[i];

		if (!v->enter)
			continue; /* of USDT probes */
		err = bpf_map_update_elem(map, &v->enter, &own, BPF_ANY);
		if (!err)
			err = bpf_map_update_elem(map, &v->leave, &own,
						  BPF_ANY);
		if (!err)
			err = load_managed(map, asked, i);
	}
	for (size_t i = 0; i < s->nhit_values && !err; i++)
		err = load_hit(s, &s->hit_values[i]);
	return err;
}

void gn_values_free(struct gn_session *s)
{
	for (size_t i = 0; s->valued && i < s->functions.nvalued; i++)
		gn_filter_free(s->valued[i].filter);
	free(s->valued);
	free(s->hit_values);
}
