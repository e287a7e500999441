# SPDX-License-Identifier: BSD-2-Clause
foreach(test test_cmd_options test_cmd_outfile test_cmd_progress)
	gn_unit_test(${test} gnomon_cmd)
endforeach()

gn_unit_test(test_cmd_report gnomon_trace PkgConfig::JANSSON)
target_compile_definitions(test_cmd_report PRIVATE
	GN_COMMAND="$<TARGET_FILE:gnomon>")
add_dependencies(test_cmd_report gnomon)
