/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and types of the running kernel. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <bpf/btf.h>

#include <gnomon/control.h>
#include "capture/kernel_btf.h"
#include "capture/targets.h"
#include "gnomon.skel.h"

static void open_kernel(struct gn_kernel_btf *b)
{
	int err = gn_kernel_btf_open(b);

	if (err == -ENOENT)
		skip();
	assert_int_equal(err, 0);
}

static void test_names(void **state)
{
	struct gn_kernel_btf b;

	(void)state;
	open_kernel(&b);
	assert_true(gn_kernel_btf_names(&b, "task_struct"));
	assert_false(gn_kernel_btf_names(&b, "ask_struct"));
	assert_false(gn_kernel_btf_names(&b, "task_struc"));
	assert_true(gn_kernel_btf_names(&b, "schedule"));
	assert_false(gn_kernel_btf_names(&b, "no_such_name_here"));
	gn_kernel_btf_close(&b);
}

static void test_find(void **state)
{
	struct gn_kernel_type sought[] = {
		{BTF_KIND_STRUCT, "task_struct", 1, NULL},
		{BTF_KIND_STRUCT, "no_such_struct", 1, NULL},
		{BTF_KIND_FUNC, "schedule", 1, NULL},
		{BTF_KIND_STRUCT, "schedule", 1, NULL},
		{BTF_KIND_TYPEDEF, "btf_trace_sched_switch", 1, NULL},
		{BTF_KIND_STRUCT, "pt_regs", 1, NULL},
	};
	struct btf *kernel = btf__load_vmlinux_btf();
	struct gn_kernel_btf b;

	(void)state;
	open_kernel(&b);
	gn_kernel_btf_find(&b, sought, 6);
	for (int i = 0; i < 6; i++) {
		int id = btf__find_by_name_kind(kernel, sought[i].name,
						sought[i].kind);

		assert_int_equal(sought[i].id, id > 0 ? id : 0);
		assert_int_equal(sought[i].id != 0, i != 1 && i != 3);
	}
	btf__free(kernel);
	gn_kernel_btf_close(&b);
}

static bool no_memory;

struct btf *__real_btf__parse(const char *path, struct btf_ext **ext);
struct btf *__wrap_btf__parse(const char *path, struct btf_ext **ext);
struct btf *__wrap_btf__parse(const char *path, struct btf_ext **ext)
{
	if (!no_memory)
		return __real_btf__parse(path, ext);
	errno = ENOMEM;
	return NULL;
}

/* libbpf finds the BTF at its usual place, but has no memory for it. */
static void test_no_memory(void **state)
{
	(void)state;
	if (gn_kernel_btf_advice())
		skip();
	assert_int_equal(gn_kernel_btf_error(-ESRCH), -ESRCH);
	no_memory = true;
	assert_int_equal(gn_kernel_btf_error(-ESRCH), -ENOMEM);
	assert_int_equal(gn_kernel_btf_error(-EPERM), -EPERM);
	no_memory = false;
}

/* The type ids of a section and of two variables of it, in some order. */
static void add_variables(struct btf *made, int section, int one, int two)
{
	int ids[3] = {section, one, two};

	assert_int_equal(btf__add_int(made, "int", 4, BTF_INT_SIGNED), 1);
	for (int id = 2; id < 5; id++) {
		if (id == ids[1])
			btf__add_var(made, "one", BTF_VAR_STATIC, 1);
		else if (id == ids[2])
			btf__add_var(made, "two", BTF_VAR_STATIC, 1);
		else {
			btf__add_datasec(made, ".data..percpu", 64);
			btf__add_datasec_var_info(made, one, 16, 4);
			btf__add_datasec_var_info(made, two, 48, 4);
		}
	}
}

/* Per-CPU variables, whether their section comes before or after them. */
static void test_variables(void **state)
{
	static const int orders[2][3] = {{2, 3, 4}, {4, 2, 3}};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct gn_kernel_type v[] = {
			{.kind = BTF_KIND_VAR, .name = "two"},
			{.kind = BTF_KIND_VAR, .name = "three"},
			{.kind = BTF_KIND_VAR, .name = "one"},
			{.kind = BTF_KIND_DATASEC, .name = ".data..percpu"}};
		struct btf *made = btf__new_empty();
		struct gn_kernel_btf b = {.file = NULL};
		const struct btf_header *h;
		uint32_t size;

		add_variables(made, orders[i][0], orders[i][1], orders[i][2]);
		h = btf__raw_data(made, &size);
		b.types = (const char *)(h + 1) + h->type_off;
		b.types_size = h->type_len;
		b.strings = (const char *)(h + 1) + h->str_off;
		b.strings_size = h->str_len;
		gn_kernel_btf_find(&b, v, 4);
		assert_int_equal(gn_kernel_type_offset(&v[3], &v[0]), 48);
		assert_int_equal(gn_kernel_type_offset(&v[3], &v[1]), -1);
		assert_int_equal(gn_kernel_type_offset(&v[3], &v[2]), 16);
		assert_int_equal(gn_kernel_type_offset(&v[1], &v[2]), -1);
		btf__free(made);
	}
}

static const char *name_at(const struct btf *btf, uint32_t offset)
{
	return btf__name_by_offset(btf, offset);
}

static void same_members(const struct btf *a, const struct btf_type *x,
			 const struct btf *b, const struct btf_type *y)
{
	for (uint32_t i = 0; i < btf_vlen(x); i++) {
		uint32_t m = btf_members(x)[i].type, n = btf_members(y)[i].type;

		assert_string_equal(name_at(a, btf_members(x)[i].name_off),
				    name_at(b, btf_members(y)[i].name_off));
		assert_int_equal(btf_members(x)[i].offset,
				 btf_members(y)[i].offset);
		assert_int_equal(btf__resolve_size(a, m),
				 btf__resolve_size(b, n));
		assert_int_equal(btf_kind(btf__type_by_id(a, m)),
				 btf_kind(btf__type_by_id(b, n)));
	}
}

static void same_type(const struct btf *a, int i, const struct btf *b, int k)
{
	const struct btf_type *x = btf__type_by_id(a, (uint32_t)i);
	const struct btf_type *y = btf__type_by_id(b, (uint32_t)k);

	assert_string_equal(name_at(a, x->name_off), name_at(b, y->name_off));
	assert_int_equal(x->info, y->info);
	if (btf_is_composite(x) || btf_is_any_enum(x))
		assert_int_equal(x->size, y->size);
	if (btf_is_composite(x))
		same_members(a, x, b, y);
	for (uint32_t v = 0; btf_is_enum(x) && v < btf_vlen(x); v++) {
		assert_string_equal(name_at(a, btf_enum(x)[v].name_off),
				    name_at(b, btf_enum(y)[v].name_off));
		assert_int_equal(btf_enum(x)[v].val, btf_enum(y)[v].val);
	}
}

static bool is_core_kind(const struct btf_type *t)
{
	return btf_is_composite(t) || btf_is_any_enum(t) || btf_is_typedef(t);
}

/* The next type with this name without its flavor, as libbpf searches for
 * it. */
static int next_called(const struct btf *btf, int from, const char *name,
		       size_t len, uint32_t kind)
{
	for (int i = from + 1; i < (int)btf__type_cnt(btf); i++) {
		const struct btf_type *t = btf__type_by_id(btf, (uint32_t)i);
		const char *other = name_at(btf, t->name_off);

		if (btf_kind(t) == kind && !strncmp(name, other, len) &&
		    (!other[len] || !strncmp(other + len, "___", 3)))
			return i;
	}
	return 0;
}

/* Checks that for each type that the programs know, both have the same
 * fields. */
static int same_types(const struct btf *own, const struct btf *kernel,
		      const struct btf *part)
{
	int found = 0;

	for (uint32_t n = 1; n < btf__type_cnt(own); n++) {
		const struct btf_type *t = btf__type_by_id(own, n);
		const char *name = name_at(own, t->name_off);
		const char *flavor = strstr(name, "___");
		size_t len = flavor ? (size_t)(flavor - name) : strlen(name);
		int i = 0, k = 0;

		if (!len || !is_core_kind(t))
			continue;
		do {
			i = next_called(kernel, i, name, len, btf_kind(t));
			k = next_called(part, k, name, len, btf_kind(t));
			assert_int_equal(!i, !k);
			if (i)
				same_type(kernel, i, part, k);
			found += i != 0;
		} while (i);
	}
	return found;
}

/* The caller frees it. */
static struct btf *reduce(const struct btf *own)
{
	int fd = memfd_create("part", MFD_CLOEXEC);
	struct gn_kernel_btf b;
	struct btf *part;
	char path[32];

	open_kernel(&b);
	assert_int_equal(gn_kernel_btf_reduce(&b, own, fd), 0);
	gn_kernel_btf_close(&b);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	part = btf__parse(path, NULL);
	assert_non_null(part);
	close(fd);
	return part;
}

static void test_reduce(void **state)
{
	struct gnomon_bpf *skel = gnomon_bpf__open();
	struct btf *kernel = btf__load_vmlinux_btf(), *part;

	(void)state;
	assert_non_null(skel);
	part = reduce(bpf_object__btf(skel->obj));
	assert_non_null(kernel);
	assert_true(btf__type_cnt(part) < btf__type_cnt(kernel) / 10);
	/* struct task_struct and more */
	assert_true(same_types(bpf_object__btf(skel->obj), kernel, part) > 20);
	btf__free(part);
	btf__free(kernel);
	gnomon_bpf__destroy(skel);
}

/* A typedef of a function, which no struct contains. */
static void test_reduce_function(void **state)
{
	struct btf *own = btf__new_empty(), *part;
	const struct btf_type *t;
	int id;

	(void)state;
	assert_true(btf__add_typedef(own, "proc_handler", 0) > 0);
	part = reduce(own);
	id = btf__find_by_name_kind(part, "proc_handler", BTF_KIND_TYPEDEF);
	assert_true(id > 0);
	t = btf__type_by_id(part, btf__type_by_id(part, (uint32_t)id)->type);
	assert_true(btf_is_func_proto(t));
	assert_int_equal(btf__type_cnt(part), 3);
	btf__free(part);
	btf__free(own);
}

/* Several captures in one process: what libbpf keeps of handlers is freed once.
 * The sanitizers check that. */
static void test_targets_again(void **state)
{
	struct gn_targets *targets;
	uint32_t ids[GN_CAST_COUNT];

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(gn_targets_new(&targets), 0);
		assert_false(gn_targets_casts(targets, ids));
		gn_targets_free(targets);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_reduce),
		cmocka_unit_test(test_reduce_function),
		cmocka_unit_test(test_targets_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
