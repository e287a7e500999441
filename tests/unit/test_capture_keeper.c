// SPDX-License-Identifier: BSD-2-Clause
/* A function with a site that the kernel refuses is left out whole, and the
 * keeper holds none of gnomon's descriptors. A fake kernel stands for the
 * keeper's: its perf events are files in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <gnomon/hook.h>
#include "capture/events.h"
#include "capture/keeper.h"
#include "fail.h"

#define FUNCTIONS 3
#define EACH	  6 /* an enter and several leaves */
#define PROBES	  (FUNCTIONS * EACH)
#define REFUSED	  2 /* the function with a refused site */

/* Shared with the keeper, which is another process. */
struct kernel {
	size_t refused; /* index of the refused site */
	bool has_tracefs;
	uint64_t cookie[PROBES]; /* of the map, by the probe; 0 = none */
	/* of the event that is being defined */
	size_t defined;
	bool defines_refused;
};

static struct kernel *kernel;

WRAP(void *, realloc, (void *p, size_t n), (p, n), NULL, ENOMEM)
WRAP(DIR *, opendir, (const char *path), (path), NULL, EMFILE)
WRAP(struct dirent *, readdir, (DIR * dir), (dir), NULL, EIO)

/* Each has another offset in its page, so all are of one group. */
static size_t probe_at(uint64_t offset)
{
	return offset / 16;
}

static int open_event(size_t count)
{
	char name[32];

	snprintf(name, sizeof(name), "probes-%zu", count);
	return memfd_create(name, MFD_CLOEXEC);
}

int __wrap_gn_events_open(struct gn_events *e);
int __wrap_gn_events_open(struct gn_events *e)
{
	(void)e;
	return kernel->has_tracefs ? 0 : -EACCES;
}

int __wrap_gn_events_define(const struct gn_events *e, uint32_t event,
			    const struct gn_probe_set *set, size_t i);
int __wrap_gn_events_define(const struct gn_events *e, uint32_t event,
			    const struct gn_probe_set *set, size_t i)
{
	(void)e, (void)event, (void)set;
	kernel->defined++;
	kernel->defines_refused |= i == kernel->refused;
	return 0;
}

int __wrap_gn_events_enable(const struct gn_events *e, uint32_t event,
			    pid_t pid);
int __wrap_gn_events_enable(const struct gn_events *e, uint32_t event,
			    pid_t pid)
{
	size_t defined = kernel->defined;
	bool refuses = kernel->defines_refused;

	(void)e, (void)event, (void)pid;
	kernel->defined = 0;
	kernel->defines_refused = false;
	if (!defined)
		return -ENOENT; /* there is no such event */
	return refuses ? -EINVAL : open_event(defined);
}

int __wrap_gn_events_remove(const struct gn_events *e, uint32_t event);
int __wrap_gn_events_remove(const struct gn_events *e, uint32_t event)
{
	(void)e, (void)event;
	return 0;
}

int __wrap_gn_attach_perf_event(const struct gn_probe_set *set, size_t i);
int __wrap_gn_attach_perf_event(const struct gn_probe_set *set, size_t i)
{
	(void)set;
	return i == kernel->refused ? -EINVAL : open_event(1);
}

int __wrap_bpf_program__fd(const struct bpf_program *prog);
int __wrap_bpf_program__fd(const struct bpf_program *prog)
{
	(void)prog;
	return -1;
}

int __wrap_bpf_link_create(int prog, int target, enum bpf_attach_type type,
			   const struct bpf_link_create_opts *opts);
int __wrap_bpf_link_create(int prog, int target, enum bpf_attach_type type,
			   const struct bpf_link_create_opts *opts)
{
	(void)prog, (void)target, (void)type, (void)opts;
	return memfd_create("link", MFD_CLOEXEC);
}

int __wrap_bpf_map_update_elem(int fd, const void *key, const void *value,
			       __u64 flags);
int __wrap_bpf_map_update_elem(int fd, const void *key, const void *value,
			       __u64 flags)
{
	(void)fd, (void)flags;
	memcpy(&kernel->cookie[probe_at(*(const uint32_t *)key)], value, 8);
	return 0;
}

int __wrap_bpf_map_delete_elem(int fd, const void *key);
int __wrap_bpf_map_delete_elem(int fd, const void *key)
{
	(void)fd;
	kernel->cookie[probe_at(*(const uint32_t *)key)] = 0;
	return 0;
}

/* What the keeper said of the functions that it leaves out. */
struct said {
	size_t times;
	uint32_t func;
	int err;
};

static void left_out(void *ctx, uint64_t cookie, int err)
{
	struct said *said = ctx;

	said->times++;
	said->func = GN_COOKIE_FUNC(cookie);
	said->err = err;
}

/* The sum of the numbers in the names of a keeper's files of this kind. */
static size_t sum_of(pid_t keeper, const char *kind)
{
	char path[64], target[64];
	size_t sum = 0, n, len = strlen(kind);
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)keeper);
	dir = opendir(path);
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		ssize_t got = readlinkat(dirfd(dir), entry->d_name, target,
					 sizeof(target) - 1);

		target[got > 0 ? got : 0] = '\0';
		if (!strncmp(target, kind, len) &&
		    sscanf(target + len, "%zu", &n) == 1)
			sum += n;
	}
	closedir(dir);
	return sum;
}

/* How many probes the keeper's perf events hold. */
static size_t probes_of(pid_t keeper)
{
	return sum_of(keeper, "/memfd:probes-");
}

static uint32_t func_of(size_t probe)
{
	return (uint32_t)(1 + probe / EACH);
}

/* Starts a keeper, of which the kernel refuses one site. */
static int start(struct gn_keeper *k, size_t refused, struct said *said,
		 size_t *count)
{
	uint64_t offsets[PROBES], cookies[PROBES];
	struct gn_groups groups = {0};
	struct gn_probe_set set = {.path = "/bin/program",
				   .offsets = offsets,
				   .cookies = cookies,
				   .count = PROBES,
				   .groups = &groups,
				   .left_out = left_out,
				   .ctx = said};

	for (size_t i = 0; i < PROBES; i++) {
		offsets[i] = i * 16;
		cookies[i] = GN_COOKIE(func_of(i), 0, GN_SPEC_ENTER);
	}
	kernel->refused = refused;
	*said = (struct said){0};
	return gn_keeper_start(k, &set, count);
}

static void end_keeper(struct gn_keeper *k)
{
	gn_keeper_stop(k);
	assert_int_equal(gn_keeper_wait(k, NULL), 0);
}

/* Returns how many probes such a keeper holds. */
static size_t keep(size_t refused, struct said *said)
{
	size_t count = 0, held;
	struct gn_keeper k;

	assert_int_equal(start(&k, refused, said, &count), 0);
	assert_true(gn_keeper_lives(&k));
	assert_int_equal(count, said->times);
	held = probes_of(k.pid);
	end_keeper(&k);
	return held;
}

static void expect_refused(const struct said *said)
{
	assert_int_equal(said->times, 1);
	assert_int_equal(said->func, REFUSED);
	assert_int_equal(said->err, -EINVAL);
}

/* Its other sites are given up, before and behind the refused one. */
static void one_by_one(void **state)
{
	struct said said;

	(void)state;
	kernel->has_tracefs = false;
	assert_int_equal(keep(PROBES, &said), PROBES);
	assert_int_equal(said.times, 0);
	for (size_t i = 0; i < EACH; i++) {
		assert_int_equal(keep((REFUSED - 1) * EACH + i, &said),
				 PROBES - EACH);
		expect_refused(&said);
	}
}

/* Its other sites share events with those of other functions. They record
 * nothing. */
static void by_groups(void **state)
{
	struct said said;

	(void)state;
	kernel->has_tracefs = true;
	assert_int_equal(keep(PROBES, &said), PROBES);
	assert_int_equal(said.times, 0);
	for (size_t i = 0; i < EACH; i++) {
		memset(kernel->cookie, 0, sizeof(kernel->cookie));
		assert_in_range(keep((REFUSED - 1) * EACH + i, &said),
				PROBES - EACH, PROBES - 1);
		expect_refused(&said);
		for (size_t p = 0; p < PROBES; p++)
			assert_int_equal(GN_COOKIE_FUNC(kernel->cookie[p]),
					 func_of(p) == REFUSED ? 0
							       : func_of(p));
	}
}

/* Whatever call of the keeper fails: it holds no descriptor of gnomon, or it
 * does not start and says why. */
static void holds_no_copies(void **state)
{
	int own[40], err, failures = 0;
	char name[32];
	struct said said;
	struct gn_keeper k;
	size_t count;

	(void)state;
	kernel->has_tracefs = false;
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "own-%d", i + 1);
		own[i] = memfd_create(name, MFD_CLOEXEC);
		assert_true(own[i] >= 0);
	}
	for (int n = 0; n < 80; n++) {
		count = 0;
		/* the keeper has a copy of the count */
		if (n)
			arm(n);
		err = start(&k, PROBES, &said, &count);
		disarm();
		failures += err != 0;
		if (err) {
			assert_true(err == -ENOMEM || err == -EMFILE ||
				    err == -EIO);
			continue;
		}
		assert_int_equal(sum_of(k.pid, "/memfd:own-"), 0);
		assert_int_equal(probes_of(k.pid), PROBES);
		end_keeper(&k);
	}
	assert_true(failures >= 40);
	for (int i = 0; i < 40; i++)
		close(own[i]);
}

static int map_kernel(void **state)
{
	(void)state;
	kernel = mmap(NULL, sizeof(*kernel), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return kernel == MAP_FAILED ? -1 : 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_by_one),
		cmocka_unit_test(by_groups),
		cmocka_unit_test(holds_no_copies),
	};

	return cmocka_run_group_tests(tests, map_kernel, NULL);
}
