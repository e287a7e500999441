# SPDX-License-Identifier: BSD-2-Clause
# Hooks in class files of Java.
gn_unit_test(test_java_rewrite gnomon_java_pure)
target_sources(test_java_rewrite PRIVATE java_class.c)

add_executable(java_rewrite java_rewrite.c)
target_link_libraries(java_rewrite PRIVATE gnomon_java_pure)
