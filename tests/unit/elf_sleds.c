/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions with sleds; they never run. */
int gn_sled_one(int x);
int gn_sled_two(int x);

int gn_sled_one(int x)
{
	return x + 1;
}

int gn_sled_two(int x)
{
	return gn_sled_one(x) * 2;
}
