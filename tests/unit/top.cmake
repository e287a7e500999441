# SPDX-License-Identifier: BSD-2-Clause
# The live view's screen.
foreach(test test_top_cells test_top_draw test_top_view test_top_screen)
	gn_unit_test(${test} gnomon_top)
	target_sources(${test} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/top_model.c
		${CMAKE_CURRENT_LIST_DIR}/golden.c)
endforeach()

gn_unit_test(test_top_output gnomon_top)
target_sources(test_top_output PRIVATE
	${CMAKE_SOURCE_DIR}/user/cmd/top_output.c)
