# SPDX-License-Identifier: BSD-2-Clause
# What the planner is tried on must not be instrumented; it is only read.
add_library(gn_site_asm MODULE ${CMAKE_CURRENT_LIST_DIR}/site_asm.S)
set_target_properties(gn_site_asm PROPERTIES LINKER_LANGUAGE C)
target_link_options(gn_site_asm PRIVATE -nostartfiles -fno-sanitize=all
	-Wl,-z,lazy)
# the same with packed relocations, which only some linkers can
include(CheckLinkerFlag)
check_linker_flag(C -Wl,-z,pack-relative-relocs GN_CAN_PACK)
set(gn_site_asm_packed $<TARGET_FILE:gn_site_asm>)
if(GN_CAN_PACK)
	add_library(gn_site_asm_packed MODULE
		${CMAKE_CURRENT_LIST_DIR}/site_asm.S)
	set_target_properties(gn_site_asm_packed PROPERTIES LINKER_LANGUAGE C)
	target_link_options(gn_site_asm_packed PRIVATE -nostartfiles
		-fno-sanitize=all -Wl,-z,lazy -Wl,-z,pack-relative-relocs)
	set(gn_site_asm_packed $<TARGET_FILE:gn_site_asm_packed>)
endif()
# the same at fixed addresses
add_executable(gn_site_asm_fixed ${CMAKE_CURRENT_LIST_DIR}/site_asm.S)
set_target_properties(gn_site_asm_fixed PROPERTIES LINKER_LANGUAGE C)
target_link_options(gn_site_asm_fixed PRIVATE -nostartfiles -fno-sanitize=all
	-no-pie -Wl,-z,lazy -Wl,-e,0)
gn_unit_test(test_site_cost gnomon_site)
gn_unit_test(test_site_plan gnomon_site)
target_compile_definitions(test_site_plan PRIVATE
	GN_SITE_ASM="$<TARGET_FILE:gn_site_asm>"
	GN_SITE_ASM_PACKED="${gn_site_asm_packed}"
	GN_SITE_ASM_FIXED="$<TARGET_FILE:gn_site_asm_fixed>")
add_dependencies(test_site_plan gn_site_asm gn_site_asm_fixed)
if(GN_CAN_PACK)
	add_dependencies(test_site_plan gn_site_asm_packed)
endif()
gn_unit_test(test_site_hostile gnomon_site)
gn_unit_test(test_site_system gnomon_site)
target_compile_definitions(test_elf_hostile PRIVATE
	GN_SITE_ASM="$<TARGET_FILE:gn_site_asm>"
	GN_SITE_ASM_PACKED="${gn_site_asm_packed}")
add_dependencies(test_elf_hostile gn_site_asm)
if(GN_CAN_PACK)
	add_dependencies(test_elf_hostile gn_site_asm_packed)
endif()

# Programs as compilers make them; never run.
gn_unit_test(test_site_world gnomon_site)
function(gn_site_program name define source)
	add_executable(gn_site_${name}
		${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${source})
	target_compile_options(gn_site_${name} PRIVATE -O2 -g0
		-fno-sanitize=all -fomit-frame-pointer -fcf-protection=full)
	target_link_options(gn_site_${name} PRIVATE -fno-sanitize=all)
	string(TOUPPER ${name} upper)
	target_compile_definitions(gn_site_${name} PRIVATE ${define})
	target_compile_definitions(test_site_world PRIVATE
		GN_SITE_${upper}="$<TARGET_FILE:gn_site_${name}>")
	add_dependencies(test_site_world gn_site_${name})
endfunction()
gn_site_program(plain GN_PLAIN site_plain.c)
gn_site_program(context GN_CONTEXT site_use.c)
gn_site_program(dlopen GN_DLOPEN site_use.c)
gn_site_program(altstack GN_ALTSTACK site_use.c)
gn_site_program(action GN_ACTION site_use.c)
gn_site_program(syscall GN_SYSCALL site_use.c)
gn_site_program(aot GN_AOT site_use.c)
gn_site_program(alloca GN_ALLOCA site_use.c)
gn_site_program(asm_hop GN_ASM site_use.c)

find_program(GN_SITE_CXX NAMES c++ g++ clang++)
if(GN_SITE_CXX)
	set(throw ${CMAKE_CURRENT_BINARY_DIR}/gn_site_throw)
	add_custom_command(OUTPUT ${throw}
		COMMAND ${GN_SITE_CXX} -O2 -g0 -o ${throw}
			${CMAKE_CURRENT_LIST_DIR}/site_throw.cc
		DEPENDS ${CMAKE_CURRENT_LIST_DIR}/site_throw.cc VERBATIM)
	add_custom_target(gn_site_thrower DEPENDS ${throw})
	add_dependencies(test_site_world gn_site_thrower)
	target_compile_definitions(test_site_world PRIVATE
		GN_SITE_THROW="${throw}")
endif()
