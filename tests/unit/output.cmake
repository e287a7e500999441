# SPDX-License-Identifier: BSD-2-Clause
foreach(test test_output_text test_output_short test_output_table
		test_output_columns test_output_data test_output_gauge test_output_sheet
		test_output_values test_html_keep)
	gn_unit_test(${test} gnomon_output gnomon_model PkgConfig::JANSSON)
endforeach()
foreach(test test_output_table test_output_columns test_output_data test_output_sheet)
	target_sources(${test} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/output_model.c
		${CMAKE_CURRENT_LIST_DIR}/output_events.c
		${CMAKE_CURRENT_LIST_DIR}/golden.c)
endforeach()
