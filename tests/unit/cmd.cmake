# SPDX-License-Identifier: BSD-2-Clause
foreach(test test_cmd_options test_cmd_outfile test_cmd_progress)
	gn_unit_test(${test} gnomon_cmd)
endforeach()

gn_unit_test(test_cmd_usage)
gn_unit_test(test_cmd_report gnomon_trace PkgConfig::JANSSON PkgConfig::ZLIB)
gn_unit_test(test_cmd_streams gnomon_trace)
foreach(test test_cmd_usage test_cmd_report test_cmd_streams)
	target_sources(${test} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/cmd_run.c)
	target_compile_definitions(${test} PRIVATE
		GN_COMMAND="$<TARGET_FILE:gnomon>")
	add_dependencies(${test} gnomon)
endforeach()
