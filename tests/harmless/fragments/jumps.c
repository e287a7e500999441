/* SPDX-License-Identifier: BSD-2-Clause */
/* Jump tables, computed gotos, cold parts, early returns. */
#include "../fragment.h"

COUNTED(jumps_switch)
KEEP long jumps_switch(unsigned int n, long x)
{
	COUNT(jumps_switch);
	switch (n) {
	case 0:
		return x + 1;
	case 1:
		return x * 3;
	case 2:
		x ^= 0x55;
		break;
	case 3:
		x -= 9; /* fall through */
	case 4:
		x <<= 1;
		break;
	case 5:
		return -x;
	case 6:
		x = x / 3;
		break;
	case 7:
		return x & 0xfff;
	case 8:
		x += 100;
		break;
	case 9:
		return x | 1;
	default:
		return 42;
	}
	return x + (long)n;
}

COUNTED(jumps_tail)
KEEP long jumps_tail(unsigned int n, long x)
{
	COUNT(jumps_tail);
	switch (n % 8) {
	case 0:
		return jumps_switch(1, x);
	case 1:
		return jumps_switch(2, x + 1);
	case 2:
		return jumps_switch(n, x + 2);
	case 3:
		return jumps_switch(4, -x);
	case 4:
		return x;
	case 5:
		return jumps_switch(7, x * x);
	default:
		return jumps_switch(9, 1);
	}
}

COUNTED(jumps_goto)
KEEP long jumps_goto(const unsigned char *code, long x)
{
	static const void *const at[] = {&&add, &&times, &&less, &&end};

	COUNT(jumps_goto);
	goto *at[*code++];
add:
	x += 5;
	goto *at[*code++];
times:
	x *= 3;
	goto *at[*code++];
less:
	x -= 2;
	goto *at[*code++];
end:
	return x;
}

COUNTED(jumps_cold)
KEEP __attribute__((cold)) long jumps_cold(long x)
{
	COUNT(jumps_cold);
	return x ^ 1;
}

COUNTED(jumps_likely)
KEEP long jumps_likely(long x)
{
	COUNT(jumps_likely);
	if (__builtin_expect(x % 17 == 0, 0)) {
		long y = jumps_cold(x);

		y += jumps_cold(y);
		OPAQUE(y);
		return y;
	}
	return x + 1;
}

FRAGMENT(jumps)
{
	static const unsigned char code[] = {0, 1, 2, 0, 0, 1, 2, 3};
	unsigned int i;
	long x = how % 1000;

	for (i = 0; i < 40; i++) {
		x = jumps_switch(i % 12, x) % 100000;
		x += jumps_tail(i, x) % 1000;
		x = jumps_likely(x) % 100000;
	}
	return x + jumps_goto(code + how % 4, x);
}
