// SPDX-License-Identifier: BSD-2-Clause
/* Names of samples: of processes that have ended, and of programs that map
 * files faster than gnomon can read the maps. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <gnomon/thread.h>
#include "capture/clock.h"
#include "capture/sampler.h"
#include "process/mapped.h"
#include "process/maps.h"

#define RINGS_FULL 4000 /* more mappings than the buffer of a CPU holds */
#define NAMES_MAX  64

struct sink {
	struct {
		uint32_t func;
		char name[64];
	} name[NAMES_MAX];
	size_t n;
	uint32_t func; /* the function of the last sample */
};

static int take(void *ctx, const struct gn_rec *rec, size_t size)
{
	const struct gn_rec_text *text = (const void *)rec;
	struct sink *x = ctx;

	if (rec->kind == GN_KIND_SAMPLE)
		memcpy(&x->func,
		       (const char *)rec + sizeof(struct gn_rec_sample),
		       sizeof(x->func));
	if (rec->kind == GN_KIND_FUNCTION && x->n < NAMES_MAX) {
		assert_in_range(text->len[0], 0, size);
		x->name[x->n].func = text->id;
		snprintf(x->name[x->n++].name, sizeof(x->name->name), "%.*s",
			 (int)text->len[0], text->text);
	}
	return 0;
}

static const char *name_at(struct gn_sampler *s, struct sink *x, pid_t pid,
			   uint64_t time, const void *addr)
{
	struct {
		struct gn_rec_sample r;
		uint64_t at;
	} sample = {
		.r = {.h = {.kind = GN_KIND_SAMPLE, .time = time},
		      .pid = (uint32_t)pid,
		      .frames = 1},
		.at = (uintptr_t)addr,
	};

	assert_true(gn_sampler_record(s, &sample.r.h));
	for (size_t i = 0; i < x->n; i++)
		if (x->name[i].func == x->func)
			return x->name[i].name;
	return "";
}

static const char *name_of(struct gn_sampler *s, struct sink *x,
			   const void *addr)
{
	return name_at(s, x, getpid(), INT64_MAX, addr);
}

/* The file that contains the code of this test, and the address. */
static struct gn_mapping own_code(void)
{
	struct gn_mapping m = {0};
	struct gn_maps maps;

	assert_int_equal(gn_maps_open(&maps, 0), 0);
	while (gn_maps_next(&maps, &m) > 0)
		if ((uintptr_t)name_of >= m.start && (uintptr_t)name_of < m.end)
			break;
	gn_maps_close(&maps);
	return m;
}

static FILE *own_file(void)
{
	FILE *f = fopen("/proc/self/exe", "re");

	assert_non_null(f);
	return f;
}

static char *map(FILE *f, uint64_t size, uint64_t offset)
{
	char *at = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE,
			fileno(f), (off_t)offset);

	assert_ptr_not_equal(at, MAP_FAILED);
	return at;
}

static void map_and_unmap(FILE *f)
{
	munmap(map(f, 1, 0), 1);
}

static void begin(struct gn_sampler *s)
{
	struct gn_rec_thread r = {
		.f = {.h = {.kind = GN_KIND_THREAD, .tid = (uint32_t)getpid()}},
		.pid = (uint32_t)getpid(),
	};

	assert_false(gn_sampler_record(s, &r.f.h));
}

/* If the record of a mapping is lost, the names come from the process's
 * maps. */
static void a_lost_mapping_is_read(void **state)
{
	struct gn_mapping own = own_code();
	struct gn_sampler *s = NULL;
	FILE *f = own_file();
	struct sink x = {0};
	char *at;

	(void)state;
	if (gn_sampler_new(take, &x, &s))
		skip();
	begin(s);
	for (int i = 0; i < RINGS_FULL; i++)
		map_and_unmap(f);
	at = map(f, own.end - own.start, own.offset);
	/* the kernel reports a loss when there is room again */
	name_of(s, &x, at);
	for (int i = 0; i < RINGS_FULL; i++)
		map_and_unmap(f);
	at += (uintptr_t)name_of - own.start;
	assert_string_equal(name_of(s, &x, at), "name_of");
	gn_sampler_free(s);
	fclose(f);
}

static void begin_child(struct gn_sampler *s, pid_t pid, uint64_t time)
{
	struct gn_rec_thread r = {
		.f = {.h = {.kind = GN_KIND_THREAD, .tid = (uint32_t)pid}},
		.pid = (uint32_t)pid,
		.parent = (uint32_t)getpid(),
	};

	r.f.h.time = time;
	assert_false(gn_sampler_record(s, &r.f.h));
}

/* A child that mapped the file there, and has ended. */
static pid_t ended_child(FILE *f, const char *at, uint64_t size,
			 uint64_t offset)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(mmap((void *)at, size, PROT_READ | PROT_EXEC,
			   MAP_PRIVATE | MAP_FIXED, fileno(f),
			   (off_t)offset) != at);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

/* A child has its parent's memory, and so the file at its place. */
static void a_child_that_has_ended_has_names(void **state)
{
	struct gn_sampler *s = NULL;
	struct sink x = {0};
	pid_t pid;

	(void)state;
	if (gn_sampler_new(take, &x, &s))
		skip();
	begin(s);
	pid = fork();
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	begin_child(s, pid, gn_now_ns());
	assert_string_equal(name_at(s, &x, pid, INT64_MAX, name_of), "name_of");
	gn_sampler_free(s);
}

/* A mapping that is reported before its process waits for it. */
static void a_mapping_waits_for_its_process(void **state)
{
	struct gn_mapping own = own_code();
	uint64_t before = gn_now_ns(), size = own.end - own.start;
	struct gn_sampler *s = NULL;
	FILE *f = own_file();
	struct sink x = {0};
	pid_t pid;
	char *at;

	(void)state;
	/* a free place that nobody has reported */
	at = map(f, size, own.offset);
	munmap(at, size);
	if (gn_sampler_new(take, &x, &s))
		skip();
	begin(s);
	pid = ended_child(f, at, size, own.offset);
	assert_string_equal(name_at(s, &x, getpid(), before, name_of),
			    "name_of");
	begin_child(s, pid, before);
	at += (uintptr_t)name_of - own.start;
	assert_string_equal(name_at(s, &x, pid, INT64_MAX, at), "name_of");
	gn_sampler_free(s);
	fclose(f);
}

/* A file that was upgraded while a process ran its code: another file has its
 * name now. */
static void a_replaced_file_has_names(void **state)
{
	char path[] = "replaced-XXXXXX", room[1 << 16];
	struct gn_mapping own = own_code();
	struct gn_sampler *s = NULL;
	FILE *from = own_file(), *f;
	struct sink x = {0};
	char *at;
	size_t n;

	(void)state;
	f = fdopen(mkstemp(path), "w+");
	assert_non_null(f);
	while ((n = fread(room, 1, sizeof(room), from)))
		assert_int_equal(fwrite(room, 1, n, f), n);
	assert_int_equal(fflush(f), 0);
	at = map(f, own.end - own.start, own.offset);
	assert_int_equal(unlink(path), 0);
	fclose(f);
	f = fopen(path, "we");
	assert_non_null(f);
	if (gn_sampler_new(take, &x, &s)) {
		unlink(path);
		skip();
	}
	begin(s);
	at += (uintptr_t)name_of - own.start;
	assert_string_equal(name_of(s, &x, at), "name_of");
	gn_sampler_free(s);
	fclose(f);
	fclose(from);
	unlink(path);
}

/* Nothing is known of it, and the report says so. */
static void a_stranger_that_has_ended_is_told(void **state)
{
	struct gn_sampler *s = NULL;
	struct sink x = {0};
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	if (gn_sampler_new(take, &x, &s))
		skip();
	assert_string_equal(name_at(s, &x, pid, INT64_MAX, name_of),
			    "[process ended]");
	gn_sampler_free(s);
}

static atomic_bool quit;

static void *map_always(void *ctx)
{
	while (!quit)
		map_and_unmap(ctx);
	return NULL;
}

/* A program maps files without end, faster than they can be read. */
static void a_look_ends(void **state)
{
	enum { LOOKS = 5, MOST = 5000 };
	struct gn_mapped *m = NULL;
	struct gn_mapped_file file;
	FILE *f = own_file();
	unsigned n, cpus = (unsigned)sysconf(_SC_NPROCESSORS_CONF);
	pthread_t other;

	(void)state;
	if (gn_mapped_new(&m))
		skip();
	quit = false;
	assert_int_equal(gn_thread_start(&other, map_always, f), 0);
	for (int i = 0; i < LOOKS; i++) {
		struct pollfd some = {gn_mapped_fd(m), POLLIN, 0};

		assert_int_equal(poll(&some, 1, -1), 1);
		for (n = 0;
		     n < MOST * cpus && gn_mapped_next(m, UINT64_MAX, &file);
		     n++)
			usleep(100);
		assert_in_range(n, 0, MOST * cpus - 1);
	}
	quit = true;
	pthread_join(other, NULL);
	gn_mapped_free(m);
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lost_mapping_is_read),
		cmocka_unit_test(a_look_ends),
		cmocka_unit_test(a_child_that_has_ended_has_names),
		cmocka_unit_test(a_mapping_waits_for_its_process),
		cmocka_unit_test(a_replaced_file_has_names),
		cmocka_unit_test(a_stranger_that_has_ended_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
