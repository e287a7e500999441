/* SPDX-License-Identifier: BSD-2-Clause */
/* A static program loads nothing. */
#include "driver.h"

long late_run(const struct step *s)
{
	(void)s;
	return -1;
}

void late_counts(void)
{
}
