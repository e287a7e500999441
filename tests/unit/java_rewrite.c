/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * java_rewrite FROM TO CLASS [FIRST]: rewrites all class files below the folder
 * FROM into the folder TO, with hooks enter, leave and unwound of CLASS in all
 * methods. Indexes begin with FIRST. Prints a line for each index, and last how
 * many there are, and what was refused.
 */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "hooksite/java/rewrite.h"

/* Blocks of one class, which are freed together. */
struct block {
	struct block *next;
	max_align_t bytes[];
};

struct run {
	const char *from, *to;
	struct gn_java_hooks hooks;
	uint32_t next;
	struct block *blocks;
	unsigned long classes, hooked, refused[8];
	uint64_t slowest; /* nanoseconds for a class */
	size_t slowest_len, bytes;
};

/* nftw() has no argument for it */
static struct run run;

static void *get(void *ctx, size_t size)
{
	struct block *b = malloc(sizeof(*b) + size);

	(void)ctx;
	if (!b)
		return NULL;
	b->next = run.blocks;
	run.blocks = b;
	return b->bytes;
}

static void drop(void)
{
	while (run.blocks) {
		struct block *b = run.blocks;

		run.blocks = b->next;
		free(b);
	}
}

static bool is(const char *text, uint16_t n, const char *name)
{
	return n == strlen(name) && !memcmp(text, name, n);
}

static uint32_t choose(void *ctx, const struct gn_java_method *m)
{
	(void)ctx;
	if (is(m->class, m->class_len, run.hooks.class) ||
	    m->access & (0x100 | 0x400))
		return UINT32_MAX;
	printf("%u %.*s.%.*s%.*s\n", run.next, m->class_len, m->class,
	       m->name_len, m->name, m->descriptor_len, m->descriptor);
	return run.next++;
}

static void refused(void *ctx, uint32_t index, enum gn_java_refusal why)
{
	(void)ctx;
	printf("%u refused %d\n", index, why);
	run.refused[why]++;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint8_t *read_all(const char *path, size_t len)
{
	FILE *f = fopen(path, "rb");
	uint8_t *bytes = malloc(len ? len : 1);

	if (!f || !bytes || fread(bytes, 1, len, f) != len) {
		perror(path);
		exit(1);
	}
	fclose(f);
	return bytes;
}

static void write_all(const char *path, const uint8_t *bytes, size_t len)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(bytes, 1, len, f) != len || fclose(f)) {
		perror(path);
		exit(1);
	}
}

static void rewrite(const char *path, const char *to, size_t len)
{
	uint8_t *bytes = read_all(path, len), *out = bytes;
	size_t out_len = len;
	uint64_t t = now();
	int n = gn_java_rewrite(bytes, len, &run.hooks, choose, refused, get,
				NULL, &out, &out_len);

	t = now() - t;
	if (n < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(-n));
		exit(1);
	}
	if (t > run.slowest) {
		run.slowest = t;
		run.slowest_len = len;
	}
	run.classes++;
	run.hooked += (unsigned long)n;
	run.bytes += len;
	write_all(to, out, out_len);
	free(bytes);
	drop();
}

static int visit(const char *path, const struct stat *st, int type,
		 struct FTW *ftw)
{
	const char *below = path + strlen(run.from);
	const char *dot = strrchr(path, '.');
	char to[PATH_MAX];

	(void)ftw;
	snprintf(to, sizeof(to), "%s%s", run.to, below);
	if (type == FTW_D)
		mkdir(to, 0777);
	else if (type == FTW_F && dot && !strcmp(dot, ".class"))
		rewrite(path, to, (size_t)st->st_size);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: java_rewrite FROM TO CLASS [FIRST]\n");
		return 2;
	}
	run.from = argv[1];
	run.to = argv[2];
	run.hooks =
		(struct gn_java_hooks){argv[3], "enter", "leave", "unwound"};
	run.next = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 0) : 0;
	if (nftw(run.from, visit, 20, FTW_PHYS)) {
		perror(run.from);
		return 1;
	}
	printf("# %lu classes of %zu bytes, %lu methods hooked\n", run.classes,
	       run.bytes, run.hooked);
	for (int i = 1; i < 8; i++)
		if (run.refused[i])
			printf("# refused for reason %d: %lu\n", i,
			       run.refused[i]);
	printf("# slowest: %llu us for %zu bytes\n",
	       (unsigned long long)run.slowest / 1000, run.slowest_len);
	return 0;
}
