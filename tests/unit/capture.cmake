# SPDX-License-Identifier: BSD-2-Clause
gn_unit_test(test_capture_drain gnomon_capture)
gn_unit_test(test_capture_fast gnomon_capture)
gn_unit_test(test_capture_loss gnomon_capture)
gn_unit_test(test_capture_meter gnomon_capture)
gn_unit_test(test_capture_priority gnomon_capture)
