# SPDX-License-Identifier: BSD-2-Clause
# What the planner is tried on must not be instrumented; it is only read.
add_library(gn_site_asm MODULE ${CMAKE_CURRENT_LIST_DIR}/site_asm.S)
set_target_properties(gn_site_asm PROPERTIES LINKER_LANGUAGE C)
target_link_options(gn_site_asm PRIVATE -nostartfiles -fno-sanitize=all
	-Wl,-z,lazy)
gn_unit_test(test_site_cost gnomon_site)
gn_unit_test(test_site_plan gnomon_site)
target_compile_definitions(test_site_plan PRIVATE
	GN_SITE_ASM="$<TARGET_FILE:gn_site_asm>")
add_dependencies(test_site_plan gn_site_asm)
