# SPDX-License-Identifier: BSD-2-Clause
gn_unit_test(test_compare gnomon_compare)
target_sources(test_compare PRIVATE ${CMAKE_CURRENT_LIST_DIR}/golden.c)
gn_unit_test(test_compare_budget gnomon_compare)
