# SPDX-License-Identifier: BSD-2-Clause
gn_unit_test(test_explain gnomon_explain)
