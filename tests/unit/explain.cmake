# SPDX-License-Identifier: BSD-2-Clause
gn_unit_test(test_explain gnomon_explain)
gn_unit_test(test_explain_async gnomon_explain)
gn_unit_test(test_explain_exceptions gnomon_explain)
