/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/program.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <gnomon/path.h>

static bool ends_in(const char *word, const char *end)
{
	size_t len = strlen(word), n = strlen(end);

	return len > n && !strcasecmp(word + len - n, end);
}

const char *gn_program_in(const char *words, size_t n)
{
	const char *before = "", *word;

	for (size_t at = 0; at < n; at += strlen(word) + 1) {
		word = words + at;
		if (at && *word != '-' &&
		    (ends_in(word, ".dll") || ends_in(word, ".exe") ||
		     !strcmp(before, "-jar")))
			return gn_base_name(word);
		before = word;
	}
	return NULL;
}

void gn_program_of(uint32_t pid, char *out, size_t size)
{
	const char *program = NULL;
	char path[64], words[4096];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/cmdline", pid);
	f = fopen(path, "re");
	if (f) {
		n = fread(words, 1, sizeof(words) - 1, f);
		fclose(f);
	}
	words[n] = '\0';
	program = gn_program_in(words, n);
	snprintf(out, size, "%s", program ? program : "");
}
