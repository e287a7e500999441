/* SPDX-License-Identifier: BSD-2-Clause */
/* The command of a capture, as a user would type it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <gnomon/path.h>
#include "output/header.h"
#include "output/text.h"

#define KERNEL_NAME_MAX 15

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

const char *gn_take_word(const char *text, char *word)
{
	bool quoted = false;

	for (; *text && (quoted || *text != ' '); text++) {
		if (*text == '\'') {
			quoted = !quoted;
			continue;
		}
		if (*text == '\\' && !quoted && text[1])
			text++;
		if (word)
			*word++ = *text;
	}
	if (word)
		*word = '\0';
	return text;
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

int gn_command_words(const char *json, struct json_t **words)
{
	/* without memory, jansson drops characters or reports invalid JSON;
	 * only errno, set by the C library, tells */
	errno = 0;
	*words = json_loads(json, 0, NULL);
	if (errno != ENOMEM)
		return 0;
	json_decref(*words);
	*words = NULL;
	return -ENOMEM;
}

char *gn_command_text(const char *json)
{
	json_t *array;
	struct gn_text_stream stream;
	char *text = NULL;
	FILE *f;

	if (gn_command_words(json, &array))
		return NULL;
	if (!only_strings(array)) {
		json_decref(array);
		return strdup(json);
	}
	f = gn_text_stream_open(&stream);
	if (f) {
		for (size_t i = 0; i < json_array_size(array); i++) {
			if (i)
				fputc(' ', f);
			gn_put_word(
				f, json_string_value(json_array_get(array, i)));
		}
		text = gn_text_stream_close(&stream);
	}
	json_decref(array);
	return text;
}

/* Whether the kernel's name for the process is this program's, cut. */
static bool is_called(const char *program, const char *process)
{
	size_t len = strnlen(program, KERNEL_NAME_MAX);

	return len && strlen(process) == len && !strncmp(program, process, len);
}

static bool runs_dlls(const char *program)
{
	return !strcmp(program, "dotnet") || !strcmp(program, "corerun");
}

static bool is_dll(const char *name)
{
	size_t len = strlen(name);

	return len > 4 && !strcasecmp(name + len - 4, ".dll");
}

/* Whether the word is an option such as -c or -lc: a shell then reads the
 * program from a text, and its name may not be known. */
static bool is_shell_text(const char *word)
{
	size_t len = strlen(word);

	return len > 1 && word[0] == '-' && word[1] != '-' &&
	       word[len - 1] == 'c';
}

char *gn_program_name(const char *json, const char *process)
{
	const char *name = NULL, *word;
	json_t *array = NULL;
	bool shell = false;
	size_t at = 0, n;
	char *copy;

	if (json && gn_command_words(json, &array))
		return NULL;
	n = only_strings(array) ? json_array_size(array) : 0;
	for (size_t i = 0; i < n; i++) {
		word = json_string_value(json_array_get(array, i));
		shell |= is_shell_text(word);
		if (is_called(gn_base_name(word), process)) {
			at = i;
			shell = false;
			break;
		}
	}
	for (size_t i = at; i < n && !shell; i++) {
		word = gn_base_name(
			json_string_value(json_array_get(array, i)));
		if (i == at)
			name = word;
		else if (!runs_dlls(name))
			break;
		else if (is_dll(word)) {
			name = word;
			break;
		}
	}
	copy = name ? strdup(name) : NULL;
	json_decref(array);
	return copy;
}
