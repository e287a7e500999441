/* SPDX-License-Identifier: BSD-2-Clause */
/* The function by which a program makes a Java virtual machine. */
#ifndef GNOMON_HOOKSITE_PRELOAD_JVM_H
#define GNOMON_HOOKSITE_PRELOAD_JVM_H

/* Calls `then` in the thread that has made the JVM of this handle of dlopen(),
 * before the program uses it. Call this once. */
void gn_jvm_await(void *handle, void (*then)(void *jvm));

#endif
