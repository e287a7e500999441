# SPDX-License-Identifier: BSD-2-Clause
# The site planner: pure but for the ELF files it reads.
find_library(ZYDIS_LIBRARY Zydis REQUIRED)
find_path(ZYDIS_INCLUDE_DIR Zydis/Zydis.h REQUIRED)
add_library(gnomon_site STATIC
	decode.c
	site.c
	site_body.c
	site_cost.c
	site_enter.c
	site_facts.c
	site_find.c
	site_flow.c
	site_jump.c
	site_leave.c
	site_plain.c
	site_proof.c
	site_scan.c
	site_sweep.c
	site_symbol.c
	site_uses.c
	site_value.c)
target_include_directories(gnomon_site SYSTEM PRIVATE ${ZYDIS_INCLUDE_DIR})
target_link_libraries(gnomon_site PUBLIC gnomon_elf PRIVATE ${ZYDIS_LIBRARY})
