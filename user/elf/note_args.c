/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of a USDT probe: the operands that the assembler was given, in
 * AT&T syntax. The text is hostile. */
#include <stdio.h>
#include <string.h>

#include "elf/notes.h"

#define WORD_MAX 128

/* A register's name, and the number of its bytes that it means. */
struct name {
	char text[6];
	uint8_t reg, size;
};

static const struct name names[] = {
#define OLD(r, R)                                                     \
	{"r" r "x", GN_REG_##R##X, 8}, {"e" r "x", GN_REG_##R##X, 4}, \
		{r "x", GN_REG_##R##X, 2},                            \
	{                                                             \
		r "l", GN_REG_##R##X, 1                               \
	}
#define INDEX(r, R)                                                         \
	{"r" r, GN_REG_##R, 8}, {"e" r, GN_REG_##R, 4}, {r, GN_REG_##R, 2}, \
	{                                                                   \
		r "l", GN_REG_##R, 1                                        \
	}
#define NEW(n)                                                  \
	{"r" #n, GN_REG_R##n, 8}, {"r" #n "d", GN_REG_R##n, 4}, \
		{"r" #n "w", GN_REG_R##n, 2},                   \
	{                                                       \
		"r" #n "b", GN_REG_R##n, 1                      \
	}
	OLD("a", A),
	OLD("b", B),
	OLD("c", C),
	OLD("d", D),
	INDEX("si", SI),
	INDEX("di", DI),
	INDEX("bp", BP),
	INDEX("sp", SP),
	NEW(8),
	NEW(9),
	NEW(10),
	NEW(11),
	NEW(12),
	NEW(13),
	NEW(14),
	NEW(15),
	{"rip", GN_REG_IP, 8},
};

/* Takes %NAME at *pos. Returns its size; 0: it is not one of these. */
static unsigned int take_reg(const char **pos, uint8_t *reg)
{
	size_t len;

	if (**pos != '%')
		return 0;
	len = strcspn(*pos + 1, ",)");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i].text) != len ||
		    strncmp(names[i].text, *pos + 1, len))
			continue;
		*pos += 1 + len;
		*reg = names[i].reg;
		return names[i].size;
	}
	return 0;
}

static bool take_number(const char **pos, long long *out)
{
	int used = 0;

	if (sscanf(*pos, "%lli%n", out, &used) != 1)
		return false;
	*pos += used;
	return true;
}

/* Parses what precedes the bracket: a number, a symbol, or a symbol and a
 * number. */
static bool displacement(const char *text, size_t len, gn_symbol_fn symbol,
			 void *ctx, long long *value, bool *named)
{
	char name[WORD_MAX] = "";
	const char *rest;
	uint64_t addr;
	long long add = 0;
	size_t n;

	*value = 0;
	*named = false;
	if (!len)
		return true;
	memcpy(name, text, len);
	rest = name;
	if (take_number(&rest, value))
		return !*rest;
	n = strcspn(name, "+-");
	rest = name + n;
	if (*rest && (!take_number(&rest, &add) || *rest))
		return false;
	name[n] = '\0';
	if (!symbol || !symbol(ctx, name, &addr))
		return false;
	*named = true;
	*value = (long long)(addr + (uint64_t)add);
	return true;
}

/* DISPLACEMENT(BASE,INDEX,SCALE) */
static bool take_memory(const char *text, uint64_t addr, gn_symbol_fn symbol,
			void *ctx, struct gn_operand *op)
{
	const char *pos = strchr(text, '(');
	long long scale = 1;
	bool named;

	op->how = GN_HOW_MEMORY;
	op->reg = op->index = GN_REG_NONE;
	if (!pos || !displacement(text, (size_t)(pos - text), symbol, ctx,
				  &op->value, &named))
		return false;
	pos++;
	if (*pos != ',' && take_reg(&pos, &op->reg) != 8)
		return false;
	if (*pos == ',') {
		pos++;
		if (take_reg(&pos, &op->index) != 8 || op->index == GN_REG_IP)
			return false;
		if (*pos == ',' && (pos++, !take_number(&pos, &scale)))
			return false;
	}
	if (strcmp(pos, ")"))
		return false;
	if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
		return false;
	op->scale = (uint8_t)__builtin_ctzll((unsigned long long)scale);
	/* A symbol has a known distance from the probe. A number has no known
	 * base, as rip is that of another instruction. */
	if (op->reg == GN_REG_IP)
		op->value = (int64_t)((uint64_t)op->value - addr);
	return (op->reg == GN_REG_IP) == named;
}

/* Negative: of a signed number. */
static bool is_size(long long n)
{
	return n == 1 || n == 2 || n == 4 || n == 8 || n == -1 || n == -2 ||
	       n == -4 || n == -8;
}

/* One word: SIZE@WHAT. */
static bool take_word(const char *word, uint64_t addr, gn_symbol_fn symbol,
		      void *ctx, struct gn_operand *op)
{
	unsigned int width;
	long long size;

	if (!take_number(&word, &size) || *word++ != '@' || !is_size(size))
		return false;
	op->size = (int8_t)size;
	if (*word == '$') {
		op->how = GN_HOW_CONSTANT;
		word++;
		return take_number(&word, &op->value) && !*word;
	}
	if (*word == '%') {
		op->how = GN_HOW_REGISTER;
		width = take_reg(&word, &op->reg);
		return width && !*word && op->reg != GN_REG_IP &&
		       (unsigned int)(size < 0 ? -size : size) <= width;
	}
	return take_memory(word, addr, symbol, ctx, op);
}

size_t gn_note_args(const char *text, uint64_t addr, gn_symbol_fn symbol,
		    void *ctx, struct gn_operand *out)
{
	size_t n = 0;

	while (n < GN_NOTE_ARGS) {
		char word[WORD_MAX];
		size_t len;

		text += strspn(text, " ");
		len = strcspn(text, " ");
		if (!len)
			break;
		memset(&out[n], 0, sizeof(out[n]));
		if (len < sizeof(word)) {
			memcpy(word, text, len);
			word[len] = '\0';
			if (!take_word(word, addr, symbol, ctx, &out[n]))
				out[n] = (struct gn_operand){0};
		}
		text += len;
		n++;
	}
	return n;
}
