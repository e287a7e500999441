# SPDX-License-Identifier: BSD-2-Clause
gn_unit_test(test_capture_clocks gnomon_capture)
gn_unit_test(test_capture_drain gnomon_capture)
gn_unit_test(test_capture_ended gnomon_capture)
target_link_options(test_capture_ended PRIVATE
	-Wl,--wrap=syscall,--wrap=bpf_program__fd,--wrap=gn_links_clear)
gn_unit_test(test_capture_fast gnomon_capture)
target_link_options(test_capture_fast PRIVATE -Wl,--wrap=gn_fast_check)
gn_unit_test(test_capture_fast_lives gnomon_capture)
gn_unit_test(test_capture_fast_names gnomon_capture)
gn_unit_test(test_capture_fast_thread gnomon_capture)
gn_unit_test(test_capture_functions gnomon_capture)
gn_unit_test(test_capture_gate gnomon_capture)
gn_unit_test(test_capture_keeper gnomon_capture)
target_link_options(test_capture_keeper PRIVATE
	-Wl,--wrap=gn_events_open,--wrap=gn_events_define
	-Wl,--wrap=gn_events_enable,--wrap=gn_events_remove
	-Wl,--wrap=gn_attach_perf_event,--wrap=bpf_program__fd
	-Wl,--wrap=bpf_link_create,--wrap=bpf_map_update_elem
	-Wl,--wrap=bpf_map_delete_elem,--wrap=realloc,--wrap=opendir
	-Wl,--wrap=readdir)
gn_unit_test(test_capture_kernel_btf gnomon_capture)
target_link_options(test_capture_kernel_btf PRIVATE -Wl,--wrap=btf__parse)
gn_unit_test(test_capture_later gnomon_capture)
target_link_options(test_capture_later PRIVATE
	-Wl,--wrap=realloc,--wrap=reallocarray,--wrap=gn_session_put
	-Wl,--wrap=gn_written_at)
gn_unit_test(test_capture_loss gnomon_capture)
gn_unit_test(test_capture_meter gnomon_capture)
gn_unit_test(test_capture_prepare gnomon_capture)
target_link_options(test_capture_prepare PRIVATE -Wl,--wrap=gn_files_add)
gn_unit_test(test_capture_priority gnomon_capture)
gn_unit_test(test_capture_ring_size gnomon_capture)
# Files of interpreters, in variants. gn_interpreter_library(TEST LANGUAGE KIND
# DEFINITION...): GN_LANGUAGE_KIND is its path. No sanitizer changes its code.
function(gn_interpreter_library test language kind)
	string(TOLOWER gn_${language}_${kind} library)
	string(TOLOWER ${language}_file.c source)
	add_library(${library} MODULE ${CMAKE_CURRENT_LIST_DIR}/${source})
	target_compile_definitions(${library} PRIVATE ${ARGN})
	target_compile_options(${library} PRIVATE -O2 -fno-sanitize=all)
	target_link_options(${library} PRIVATE -fno-sanitize=all)
	target_compile_definitions(${test} PRIVATE
		GN_${language}_${kind}="$<TARGET_FILE:${library}>")
	add_dependencies(${test} ${library})
endfunction()

gn_unit_test(test_capture_interpreters gnomon_capture)
set(gn_ruby test_capture_interpreters RUBY)
gn_interpreter_library(${gn_ruby} WHOLE MAJOR=3 MINOR=1)
gn_interpreter_library(${gn_ruby} TWO_LOADS MAJOR=3 MINOR=1 TWO_LOADS)
gn_interpreter_library(${gn_ruby} NEXT MAJOR=3 MINOR=2)
gn_interpreter_library(${gn_ruby} NO_VERSION NO_VERSION)
gn_interpreter_library(${gn_ruby} NO_CODE MAJOR=3 MINOR=1 NO_CODE)
gn_interpreter_library(${gn_ruby} NO_CONTEXT MAJOR=3 MINOR=1 NO_CONTEXT)
add_executable(gn_ruby_program ${CMAKE_CURRENT_LIST_DIR}/ruby_file.c)
target_compile_definitions(gn_ruby_program PRIVATE MAJOR=3 MINOR=1 PROGRAM)
set_target_properties(gn_ruby_program PROPERTIES ENABLE_EXPORTS ON)
target_compile_definitions(test_capture_interpreters PRIVATE
	GN_RUBY_PROGRAM="$<TARGET_FILE:gn_ruby_program>")
add_dependencies(test_capture_interpreters gn_ruby_program)
set(gn_php test_capture_interpreters PHP)
gn_interpreter_library(${gn_php} WHOLE SIZE=1800 VERSION="4.2.0")
gn_interpreter_library(${gn_php} SHORT SIZE=488 VERSION="4.2.0")
gn_interpreter_library(${gn_php} OLDER SIZE=1776 VERSION="4.2.32")
gn_interpreter_library(${gn_php} NEXT SIZE=2008 VERSION="4.6.0")
gn_interpreter_library(${gn_php} NO_CODE SIZE=1800 NO_CODE)
gn_interpreter_library(${gn_php} NO_GLOBALS VERSION="4.2.0" NO_GLOBALS)

gn_unit_test(test_capture_python gnomon_capture)
target_link_options(test_capture_python PRIVATE
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray)
set(gn_python test_capture_python PYTHON)
gn_interpreter_library(${gn_python} WHOLE)
gn_interpreter_library(${gn_python} OLD NO_VERSION)
gn_interpreter_library(${gn_python} OLDER NO_VERSION NO_CONFIG)
gn_interpreter_library(${gn_python} NONE_AT_ALL NO_RUNTIME)
gn_unit_test(test_capture_sampler gnomon_capture)
gn_unit_test(test_capture_session gnomon_capture)
target_link_options(test_capture_session PRIVATE
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray)
gn_unit_test(test_capture_setter gnomon_capture)
gn_unit_test(test_capture_sleds gnomon_capture)
gn_unit_test(test_capture_unseen gnomon_capture)
gn_unit_test(test_capture_values gnomon_capture)
target_link_options(test_capture_values PRIVATE
	-Wl,--wrap=bpf_map__fd,--wrap=bpf_map_update_elem)
gn_unit_test(test_process_children gnomon_process)
gn_unit_test(test_process_copy gnomon_process)
gn_unit_test(test_process_cpus gnomon_process)
gn_unit_test(test_process_files gnomon_process)
gn_unit_test(test_process_inside gnomon_process)
gn_unit_test(test_process_program gnomon_process)
gn_unit_test(test_process_maps gnomon_process)
gn_unit_test(test_process_memory gnomon_process)
gn_unit_test(test_process_target gnomon_process)
