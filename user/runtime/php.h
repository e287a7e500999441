/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_RUNTIME_PHP_H
#define GNOMON_RUNTIME_PHP_H

#include "runtime/runtime.h"

/* How texts make a name: the first is of those of a function. */
enum gn_php_form { GN_PHP_FUNCTION = 1, GN_PHP_FILE_ONLY, GN_PHP_CLASS_ONLY };
enum gn_php_part { GN_PHP_NAME, GN_PHP_CLASS, GN_PHP_SCRIPT, GN_PHP_PARTS };

extern const struct gn_runtime gn_runtime_zend;

#endif
