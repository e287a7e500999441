# SPDX-License-Identifier: BSD-2-Clause
# What gnomon top writes where there is no screen.
foreach(test test_top_batch test_top_lines test_top_prom)
	gn_unit_test(${test} gnomon_top PkgConfig::JANSSON)
	target_sources(${test} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/top_sample.c
		${CMAKE_CURRENT_LIST_DIR}/golden.c)
endforeach()
gn_unit_test(test_top_budget gnomon_top)
