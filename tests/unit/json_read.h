/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what an output wrote, and fails the test if it is not JSON. */
#ifndef TESTS_UNIT_JSON_READ_H
#define TESTS_UNIT_JSON_READ_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

/* Frees the text. */
static json_t *read_json(char *text)
{
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fail_msg("%s at %d: %s", error.text, error.position, text);
	free(text);
	return root;
}

static uint64_t number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value))
		fail_msg("%s is no integer", key);
	return (uint64_t)json_integer_value(value);
}

#endif
