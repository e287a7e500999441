/* SPDX-License-Identifier: BSD-2-Clause */
/* The command of a capture, as a user would type it. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "output/header.h"
#include "output/text.h"

void gn_put_word(FILE *f, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789%+,-./:=@_";

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, f);
		return;
	}
	fputc('\'', f);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", f);
		else
			fputc(*word, f);
	}
	fputc('\'', f);
}

static bool only_strings(const json_t *array)
{
	size_t n = json_array_size(array);

	for (size_t i = 0; i < n; i++) {
		if (!json_is_string(json_array_get(array, i)))
			return false;
	}
	return n > 0;
}

char *gn_command_text(const char *json)
{
	json_t *array = json_loads(json, 0, NULL);
	char *text = NULL;
	size_t size = 0;
	FILE *f;

	if (!only_strings(array)) {
		json_decref(array);
		return strdup(json);
	}
	f = open_memstream(&text, &size);
	if (f) {
		for (size_t i = 0; i < json_array_size(array); i++) {
			if (i)
				fputc(' ', f);
			gn_put_word(
				f, json_string_value(json_array_get(array, i)));
		}
		if (fclose(f)) {
			free(text);
			text = NULL;
		}
	}
	json_decref(array);
	return text;
}

char *gn_program_name(const char *json)
{
	json_t *array = json ? json_loads(json, 0, NULL) : NULL;
	const char *name = NULL;
	char *copy;

	for (size_t i = 0; only_strings(array) && i < json_array_size(array);
	     i++) {
		const char *word = json_string_value(json_array_get(array, i));
		size_t len = strlen(word);

		if (i && (len < 5 || strcasecmp(word + len - 4, ".dll") != 0))
			continue;
		name = word;
		if (i)
			break;
	}
	copy = name ? strdup(gn_base_name(name)) : NULL;
	json_decref(array);
	return copy;
}
