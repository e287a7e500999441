/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of USDT probes: texts to operands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sdt.h>

#include <cmocka.h>

#include "elf/notes.h"

#define PROBE 0x1000

static bool symbol(void *ctx, const char *name, uint64_t *addr)
{
	(void)ctx;
	if (strcmp(name, "count"))
		return false;
	*addr = 0x5000;
	return true;
}

static struct gn_operand one(const char *text)
{
	struct gn_operand op[GN_NOTE_ARGS];

	assert_int_equal(gn_note_args(text, PROBE, symbol, NULL, op), 1);
	return op[0];
}

static void is(const char *text, enum gn_how how, int size, int reg,
	       long long value)
{
	struct gn_operand op = one(text);

	if (op.how != how || op.size != size || op.value != value ||
	    (how != GN_HOW_CONSTANT && op.reg != reg))
		fail_msg("'%s': how %d, size %d, reg %d, value %lld", text,
			 op.how, op.size, op.reg, (long long)op.value);
}

static void test_registers(void **state)
{
	(void)state;
	is("-4@%eax", GN_HOW_REGISTER, -4, GN_REG_AX, 0);
	is("8@%rdi", GN_HOW_REGISTER, 8, GN_REG_DI, 0);
	is("2@%bx", GN_HOW_REGISTER, 2, GN_REG_BX, 0);
	is("1@%dil", GN_HOW_REGISTER, 1, GN_REG_DI, 0);
	is("-1@%r15b", GN_HOW_REGISTER, -1, GN_REG_R15, 0);
	is("-2@%r12w", GN_HOW_REGISTER, -2, GN_REG_R12, 0);
	is("4@%r8d", GN_HOW_REGISTER, 4, GN_REG_R8, 0);
	is("4@%r10", GN_HOW_REGISTER, 4, GN_REG_R10, 0);
	is("8@%rsp", GN_HOW_REGISTER, 8, GN_REG_SP, 0);
}

static void test_constants(void **state)
{
	(void)state;
	is("-8@$5", GN_HOW_CONSTANT, -8, 0, 5);
	is("-4@$-1", GN_HOW_CONSTANT, -4, 0, -1);
	is("4@$0x10", GN_HOW_CONSTANT, 4, 0, 16);
}

static void test_memory(void **state)
{
	struct gn_operand op;

	(void)state;
	is("8@-24(%rbp)", GN_HOW_MEMORY, 8, GN_REG_BP, -24);
	is("1@37(%r14)", GN_HOW_MEMORY, 1, GN_REG_R14, 37);
	is("8@(%rax)", GN_HOW_MEMORY, 8, GN_REG_AX, 0);
	is("4@count(%rip)", GN_HOW_MEMORY, 4, GN_REG_IP, 0x4000);
	is("4@count+8(%rip)", GN_HOW_MEMORY, 4, GN_REG_IP, 0x4008);
	is("4@count-8(%rip)", GN_HOW_MEMORY, 4, GN_REG_IP, 0x3ff8);
	op = one("-4@-20(%rbp,%rax,4)");
	assert_int_equal(op.how, GN_HOW_MEMORY);
	assert_int_equal(op.reg, GN_REG_BP);
	assert_int_equal(op.index, GN_REG_AX);
	assert_int_equal(op.scale, 2);
	assert_int_equal(op.value, -20);
	op = one("8@8(,%rcx,8)");
	assert_int_equal(op.how, GN_HOW_MEMORY);
	assert_int_equal(op.reg, GN_REG_NONE);
	assert_int_equal(op.index, GN_REG_CX);
	assert_int_equal(op.scale, 3);
	assert_int_equal(one("8@(%rax,%rbx)").scale, 0);
	assert_int_equal(one("8@(%rax)").index, GN_REG_NONE);
}

/* Unreadable arguments are reported as such, never guessed. */
static void test_unreadable(void **state)
{
	static const char *const texts[] = {
		"8f@%xmm0",
		"8@%xmm0",
		"4@%ah",
		"8@%eax",
		"3@%rax",
		"@%rax",
		"8%rax",
		"8@",
		"8@%",
		"8@rax",
		"8@$",
		"8@$x",
		"8@$5x",
		"8@(%rax",
		"8@(%eax)",
		"8@(%rax,%rbx,3)",
		"8@(%rax,%rbx,)",
		"8@(%rax,%rip)",
		"8@%fs:8(%rax)",
		"8@unknown(%rip)",
		"8@8(%rip)",
		"8@count(%rax)",
		"8@count",
		"8@0x5000",
		"8@%rip",
		"8@count+(%rip)",
		"8@8+count(%rip)",
		"8@(%rax)(%rbx)",
		"8@()",
		"0@%rax",
		"-16@%rax",
		"8@%rax,",
		"-9223372036854775808@%rax",
		"8@-9223372036854775808(%rip)",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		is(texts[i], GN_HOW_NONE, 0, 0, 0);
}

static void test_lists(void **state)
{
	struct gn_operand op[GN_NOTE_ARGS];
	char many[GN_NOTE_ARGS * 2 * 8], long_word[300];

	(void)state;
	assert_int_equal(gn_note_args("", PROBE, NULL, NULL, op), 0);
	assert_int_equal(gn_note_args("   ", PROBE, NULL, NULL, op), 0);
	assert_int_equal(gn_note_args(" 8@%rdx  -4@%eax 8@x(%rip) 1@$0", PROBE,
				      NULL, NULL, op),
			 4);
	assert_int_equal(op[0].reg, GN_REG_DX);
	assert_int_equal(op[1].reg, GN_REG_AX);
	assert_int_equal(op[2].how, GN_HOW_NONE);
	assert_int_equal(op[3].how, GN_HOW_CONSTANT);
	many[0] = '\0';
	for (int i = 0; i < GN_NOTE_ARGS * 2; i++)
		strcat(many, "8@%rax ");
	assert_int_equal(gn_note_args(many, PROBE, NULL, NULL, op),
			 GN_NOTE_ARGS);
	memset(long_word, '8', sizeof(long_word));
	long_word[sizeof(long_word) - 1] = '\0';
	assert_int_equal(gn_note_args(long_word, PROBE, NULL, NULL, op), 1);
	assert_int_equal(op[0].how, GN_HOW_NONE);
}

/* Not static: its probe refers to it by name. */
extern volatile int gn_test_told;
volatile int gn_test_told = 7;

/* A handmade probe with these assembler texts. */
#define NOTE(texts)                                                        \
	"990:	nop\n"                                                       \
	".pushsection .note.stapsdt,\"\",\"note\"\n"                       \
	"	.balign 4\n"                                                     \
	"	.4byte 992f-991f, 994f-993f, 3\n"                                \
	"991:	.asciz \"stapsdt\"\n"                                        \
	"992:	.balign 4\n"                                                 \
	"993:	.8byte 990b, _.stapsdt.base, 0\n" texts "994:	.balign 4\n" \
	".popsection"

__attribute__((noinline)) static void hit(long a, int b)
{
	STAP_PROBE4(gn_test, hit, a, b, 42, gn_test_told);
	/* with an argument of 300 bytes */
	__asm__ volatile(NOTE(".asciz \"gn_long\"\n .asciz \"hit\"\n"
			      ".ascii \"-4@$7 8@\"\n .fill 300, 1, 'x'\n"
			      ".asciz \"(%rip) 8@$9\"\n"));
	/* names of 64, 255 and 256 bytes */
	__asm__ volatile(NOTE(".fill 64, 1, 'p'\n .asciz \"\"\n"
			      ".fill 255, 1, 'n'\n .asciz \"\"\n"
			      ".asciz \"-4@$7\"\n"));
	__asm__ volatile(NOTE(".fill 256, 1, 'p'\n .asciz \"\"\n"
			      ".asciz \"name\"\n .asciz \"\"\n"));
	__asm__ volatile(NOTE(".asciz \"gn_test\"\n"
			      ".fill 256, 1, 'n'\n .asciz \"\"\n"
			      ".asciz \"\"\n"));
	/* its texts have no end */
	__asm__ volatile(NOTE(".asciz \"gn_test\"\n .ascii \"name\"\n"));
}

/* As the compiler and the assembler really write them. */
static void test_own_notes(void **state)
{
	struct gn_note *notes = NULL, *note = NULL;
	size_t count = 0;

	(void)state;
	hit(1, 2);
	assert_int_equal(gn_notes_read("/proc/self/exe", &notes, &count, NULL),
			 0);
	for (size_t i = 0; i < count; i++)
		if (!strcmp(notes[i].provider, "gn_test"))
			note = &notes[i];
	assert_non_null(note);
	assert_int_equal(note->nargs, 4);
	for (size_t i = 0; i < note->nargs; i++)
		assert_int_not_equal(note->arg[i].how, GN_HOW_NONE);
	assert_int_equal(note->arg[2].how, GN_HOW_CONSTANT);
	assert_int_equal(note->arg[2].value, 42);
	assert_int_equal(note->arg[1].size, -4);
	assert_int_equal(note->semaphore, 0);
	free(notes);
}

/* More text than a note holds: the probe is there, with what fits. */
static void test_long_notes(void **state)
{
	struct gn_note *notes = NULL, *note = NULL;
	size_t count = 0;

	(void)state;
	assert_int_equal(gn_notes_read("/proc/self/exe", &notes, &count, NULL),
			 0);
	for (size_t i = 0; i < count; i++)
		if (!strcmp(notes[i].provider, "gn_long"))
			note = &notes[i];
	assert_non_null(note);
	assert_int_equal(note->nargs, 3);
	assert_int_equal(note->arg[0].value, 7);
	assert_int_equal(note->arg[1].how, GN_HOW_NONE);
	assert_int_equal(note->arg[2].value, 9);
	assert_string_equal(note->args, "-4@$7 ...");
	free(notes);
}

static size_t run_of(const char *text, char c)
{
	const char set[] = {c, '\0'};
	size_t n = strspn(text, set);

	return text[n] ? 0 : n;
}

/* Long names are complete; names without room are counted, not truncated. */
static void test_long_names(void **state)
{
	struct gn_notes_left left = {.broken = 1};
	struct gn_note *notes = NULL, *note = NULL;
	char text[GN_NOTES_LEFT_TEXT];
	size_t count = 0;

	(void)state;
	assert_int_equal(gn_notes_read("/proc/self/exe", &notes, &count, &left),
			 0);
	for (size_t i = 0; i < count; i++) {
		assert_string_not_equal(notes[i].name, "name");
		if (run_of(notes[i].provider, 'p') == 64)
			note = &notes[i];
	}
	assert_int_equal(count, 3);
	assert_non_null(note);
	assert_int_equal(run_of(note->name, 'n'), 255);
	assert_int_equal(note->nargs, 1);
	assert_int_equal(left.long_names, 2);
	assert_int_equal(left.broken, 2);
	assert_int_equal(left.too_many, 0);
	assert_string_equal(gn_notes_left_text(&left, text),
			    "2 with names of more than 255 bytes, 2 whose "
			    "notes are broken");
	left = (struct gn_notes_left){0};
	assert_null(gn_notes_left_text(&left, text));
	left.long_names = left.broken = left.too_many = SIZE_MAX;
	assert_non_null(strstr(gn_notes_left_text(&left, text), "of a file"));
	free(notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_own_notes),
		cmocka_unit_test(test_long_notes),
		cmocka_unit_test(test_long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
