/* SPDX-License-Identifier: BSD-2-Clause */
/* What the file of a Ruby tells: its version, and where its threads have the
 * address of their context of execution. The file is hostile. */
#ifndef GNOMON_RUNTIME_RUBY_CONTEXT_H
#define GNOMON_RUNTIME_RUBY_CONTEXT_H

#include <stdint.h>

/* A variable that a Ruby exports. */
#define GN_RUBY_VERSION "ruby_api_version"

/* Its major and minor number. Negative: the file is no Ruby. */
int gn_ruby_version(const char *path, int32_t version[2]);

/* The same as gn_exported_local(), of the context. */
int gn_ruby_context(const char *path, int64_t *context, uint64_t *module);

#endif
