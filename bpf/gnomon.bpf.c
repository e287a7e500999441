/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fault.bpf.h"
#include "hooks.bpf.h"
#include "life.bpf.h"
#include "sample.bpf.h"
#include "setup.bpf.h"
#include "switch.bpf.h"
#include "tasks.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";
