/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/tell.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "names/escape.h"

void gn_error(const char *format, ...)
{
	char *text = NULL, *escaped = NULL;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		text = NULL;
	va_end(ap);
	if (text)
		escaped = gn_escape(text, true);
	fprintf(stderr, "gnomon: %s\n", escaped ? escaped : "no memory");
	free(escaped);
	free(text);
}
