// SPDX-License-Identifier: BSD-2-Clause
#include "glob.h"

bool gn_glob(const char *glob, size_t glob_len, const char *text,
	     size_t text_len)
{
	size_t g = 0, t = 0;
	size_t star = (size_t)-1,
	       from = 0; /* last *, and where its text ends */

	while (t < text_len) {
		if (g < glob_len && glob[g] == '*') {
			star = g++;
			from = t;
		} else if (g < glob_len &&
			   (glob[g] == '?' || glob[g] == text[t])) {
			g++;
			/* ? is a whole UTF-8 character */
			do
				t++;
			while (glob[g - 1] == '?' && t < text_len &&
			       ((unsigned char)text[t] & 0xc0) == 0x80);
		} else if (star != (size_t)-1) {
			/* Only the last * needs another try: an earlier one
			 * took the shortest text that let this one begin. */
			g = star + 1;
			t = ++from;
		} else {
			return false;
		}
	}
	while (g < glob_len && glob[g] == '*')
		g++;
	return g == glob_len;
}
