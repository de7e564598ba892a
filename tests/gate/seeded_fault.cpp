// Linked only into gate_tests_without_field_check: the linker redirects every call of grant::check_field here (--wrap),
// so that the gate runs again without the field check. A gate that still passes then proves nothing.
#include "grant/grant.h"

#ifdef __clang__
#pragma clang diagnostic ignored "-Wreturn-type-c-linkage"  // the symbol replaces a C++ function; no C code calls it
#endif

extern "C" ladder::Status
__wrap__ZN6ladder5grant11check_fieldERKNS0_11StreamGrantERKNS_5model6StreamESt17basic_string_viewIcSt11char_traitsIcEE(
    const ladder::grant::StreamGrant&, const ladder::model::Stream&, std::string_view);

extern "C" ladder::Status
__wrap__ZN6ladder5grant11check_fieldERKNS0_11StreamGrantERKNS_5model6StreamESt17basic_string_viewIcSt11char_traitsIcEE(
    const ladder::grant::StreamGrant&, const ladder::model::Stream&, std::string_view) {
  return {};
}
