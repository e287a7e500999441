/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's fixed-size types, from vmlinux.h or the system's headers. */
#ifndef GNOMON_TYPES_H
#define GNOMON_TYPES_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

#endif
