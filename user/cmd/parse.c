/* SPDX-License-Identifier: BSD-2-Clause */
/* Strict readers of numbers, durations, sizes and lists of PIDs. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/options.h"

/* The kernel's own limit: PID_MAX_LIMIT of 64-bit machines. */
#define PID_LIMIT (4 * 1024 * 1024)

/* Reads at least one digit at *text, and moves *text past the digits. */
static int read_digits(const char **text, uint64_t *out)
{
	const char *p = *text;
	uint64_t value = 0;

	if (*p < '0' || *p > '9')
		return -EINVAL;
	for (; *p >= '0' && *p <= '9'; p++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *p - '0', &value))
			return -ERANGE;
	}
	*text = p;
	*out = value;
	return 0;
}

int gn_parse_u64(const char *text, uint64_t *out)
{
	uint64_t value;
	int err = read_digits(&text, &value);

	if (err)
		return err;
	if (*text)
		return -EINVAL;
	*out = value;
	return 0;
}

/* Reads up to 9 decimals after a point; the result is in billionths. */
static int read_fraction(const char **text, uint64_t *billionths)
{
	const char *p = *text;
	uint64_t value = 0;
	int digits = 0;

	*billionths = 0;
	if (*p != '.')
		return 0;
	for (p++; *p >= '0' && *p <= '9'; p++) {
		if (++digits > 9)
			return -EINVAL;
		value = value * 10 + (*p - '0');
	}
	if (!digits)
		return -EINVAL;
	for (; digits < 9; digits++)
		value *= 10;
	*text = p;
	*billionths = value;
	return 0;
}

int gn_parse_duration(const char *text, uint64_t *ns)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} units[] = {
		{"", 1000000000},
		{"ns", 1},
		{"us", 1000},
		{"ms", 1000000},
		{"s", 1000000000},
		{"m", 60 * 1000000000ULL},
		{"h", 3600 * 1000000000ULL},
	};
	uint64_t whole, part, unit = 0;
	int err;

	err = read_digits(&text, &whole);
	if (err)
		return err;
	err = read_fraction(&text, &part);
	if (err)
		return err;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(text, units[i].text) == 0)
			unit = units[i].ns;
	}
	if (!unit)
		return -EINVAL;
	if (__builtin_mul_overflow(whole, unit, &whole))
		return -ERANGE;
	/* part < 10^9 and unit <= 3600 * 10^9: the product fits */
	part *= unit / 1000 ? unit / 1000 : 1;
	part /= unit / 1000 ? 1000000 : 1000000000;
	if (__builtin_add_overflow(whole, part, &whole))
		return -ERANGE;
	*ns = whole;
	return 0;
}

int gn_parse_size(const char *text, uint64_t *bytes)
{
	unsigned int shift = 0;
	uint64_t value;
	int err = read_digits(&text, &value);

	if (err)
		return err;
	switch (*text) {
	case 'k':
	case 'K':
		shift = 10;
		break;
	case 'm':
	case 'M':
		shift = 20;
		break;
	case 'g':
	case 'G':
		shift = 30;
		break;
	}
	if (shift)
		text++;
	if (*text)
		return -EINVAL;
	if (value > UINT64_MAX >> shift)
		return -ERANGE;
	*bytes = value << shift;
	return 0;
}

int gn_parse_percent(const char *text, double *out)
{
	uint64_t whole, part;
	int err = read_digits(&text, &whole);

	if (err)
		return err;
	err = read_fraction(&text, &part);
	if (err)
		return err;
	if (*text == '%')
		text++;
	if (*text)
		return -EINVAL;
	if (whole > 100 || (whole == 100 && part))
		return -ERANGE;
	*out = (double)whole + (double)part / 1e9;
	return 0;
}

/* Adds a PID unless it is already there. */
static int add_pid(struct gn_pids *pids, pid_t pid)
{
	pid_t *grown;

	for (size_t i = 0; i < pids->n; i++) {
		if (pids->pid[i] == pid)
			return 0;
	}
	grown = reallocarray(pids->pid, pids->n + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	grown[pids->n++] = pid;
	pids->pid = grown;
	return 0;
}

int gn_parse_pids(const char *text, struct gn_pids *pids)
{
	size_t before = pids->n;
	uint64_t value;
	int err;

	for (;;) {
		err = read_digits(&text, &value);
		if (!err && *text && *text != ',')
			err = -EINVAL;
		if (!err && (value < 1 || value > PID_LIMIT))
			err = -ERANGE;
		if (!err)
			err = add_pid(pids, (pid_t)value);
		if (err) {
			pids->n = before;
			return err;
		}
		if (!*text)
			return 0;
		text++;
	}
}
