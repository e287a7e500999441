/* SPDX-License-Identifier: BSD-2-Clause */
/* A program of a tracepoint is a function of the tracepoint's arguments. */
#ifndef GNOMON_HOST_BPF_TRACING_H
#define GNOMON_HOST_BPF_TRACING_H

#define BPF_PROG(name, ...) name(__VA_ARGS__)

#endif
