# SPDX-License-Identifier: BSD-2-Clause
gn_unit_test(test_capture_clocks gnomon_capture)
gn_unit_test(test_capture_drain gnomon_capture)
gn_unit_test(test_capture_fast gnomon_capture)
gn_unit_test(test_capture_fast_lives gnomon_capture)
gn_unit_test(test_capture_fast_names gnomon_capture)
gn_unit_test(test_capture_fast_thread gnomon_capture)
gn_unit_test(test_capture_functions gnomon_capture)
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
	-Wl,--wrap=realloc,--wrap=reallocarray,--wrap=gn_session_put)
gn_unit_test(test_capture_loss gnomon_capture)
gn_unit_test(test_capture_meter gnomon_capture)
gn_unit_test(test_capture_prepare gnomon_capture)
target_link_options(test_capture_prepare PRIVATE -Wl,--wrap=gn_files_add)
gn_unit_test(test_capture_priority gnomon_capture)
gn_unit_test(test_capture_python gnomon_capture)
target_link_options(test_capture_python PRIVATE
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray)
foreach(kind WHOLE OLD OLDER NONE_AT_ALL)
	string(TOLOWER gn_python_${kind} library)
	add_library(${library} MODULE ${CMAKE_CURRENT_LIST_DIR}/python_file.c)
	target_compile_definitions(test_capture_python PRIVATE
		GN_PYTHON_${kind}="$<TARGET_FILE:${library}>")
	add_dependencies(test_capture_python ${library})
endforeach()
target_compile_definitions(gn_python_old PRIVATE NO_VERSION)
target_compile_definitions(gn_python_older PRIVATE NO_VERSION NO_CONFIG)
target_compile_definitions(gn_python_none_at_all PRIVATE NO_RUNTIME)
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
gn_unit_test(test_process_maps gnomon_process)
gn_unit_test(test_process_memory gnomon_process)
gn_unit_test(test_process_target gnomon_process)
