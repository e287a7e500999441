# SPDX-License-Identifier: BSD-2-Clause
gn_unit_test(test_names_clr gnomon_names)
gn_unit_test(test_names_native gnomon_names)
gn_unit_test(test_model_tables gnomon_model)
gn_unit_test(test_model_order gnomon_model)
gn_unit_test(test_model_account gnomon_model)
gn_unit_test(test_model_stack gnomon_model)
gn_unit_test(test_model_names gnomon_model)
gn_unit_test(test_model_waits gnomon_model)
gn_unit_test(test_model_suspend gnomon_model)
gn_unit_test(test_model_pipeline gnomon_model)
gn_unit_test(test_model_values gnomon_model)
gn_unit_test(test_model_samples gnomon_model)
gn_unit_test(test_model_syscalls gnomon_model)
gn_unit_test(test_model_fold gnomon_model)
gn_unit_test(test_model_async gnomon_model)
gn_unit_test(test_model_functions gnomon_model)
gn_unit_test(test_places gnomon_capture)
gn_unit_test(test_model_period gnomon_model)
gn_unit_test(test_model_live gnomon_model)
gn_unit_test(test_model_mute gnomon_model)
gn_unit_test(test_model_roles gnomon_model gnomon_runtime)
gn_unit_test(test_model_collections gnomon_model gnomon_runtime)
gn_unit_test(test_model_collectors gnomon_model gnomon_runtime)
gn_unit_test(test_model_events gnomon_model)
gn_unit_test(test_model_limits gnomon_model)
# what is freed is overwritten: whoever still looks at it sees that
set_tests_properties(unit/test_model_limits PROPERTIES
	ENVIRONMENT MALLOC_PERTURB_=36)
# every allocation fails once
gn_unit_test(test_model_memory gnomon_model)
target_link_options(test_model_memory PRIVATE
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc)
# every byte is counted
gn_unit_test(test_model_bound gnomon_model)
target_link_options(test_model_bound PRIVATE
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free)
