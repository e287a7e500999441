# SPDX-License-Identifier: BSD-2-Clause
gn_unit_test(test_capture_mute gnomon_capture)
target_compile_definitions(test_capture_mute PRIVATE
	GN_CLR="$<TARGET_FILE:gnomon_clr>")
target_link_libraries(test_capture_mute PRIVATE ${CMAKE_DL_LIBS})
add_dependencies(test_capture_mute gnomon_clr)
