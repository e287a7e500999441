/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include <gnomon/time_class.h>
#include <gnomon/syscalls.h>
#include <gnomon/event.h>
#include <gnomon/hook.h>
#include <gnomon/control.h>

#include "maps.bpf.h"
#include "emit.bpf.h"
#include "check.bpf.h"
#include "wait.bpf.h"
#include "poll.bpf.h"
#include "os.bpf.h"
#include "life.bpf.h"
#include "hooks.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";
