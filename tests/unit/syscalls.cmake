# SPDX-License-Identifier: BSD-2-Clause
gn_unit_test(test_output_syscalls gnomon_output gnomon_model)
gn_unit_test(test_syscalls_ia32 gnomon_output gnomon_model)
