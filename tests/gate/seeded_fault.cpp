// Linked only into gate_tests_without_field_check: the linker sends every call of grant::check_field here (--wrap), so that the
// gate runs once more with the field check switched off. A gate that then still passes proves nothing.
#include "grant/grant.h"

#ifdef __clang__
#pragma clang diagnostic ignored "-Wreturn-type-c-linkage"  // the symbol stands in for a C++ function, which nothing in C calls
#endif

extern "C" ladder::Status
__wrap__ZN6ladder5grant11check_fieldERKNS0_11StreamGrantERKNS_5model6StreamESt17basic_string_viewIcSt11char_traitsIcEE(
    const ladder::grant::StreamGrant&, const ladder::model::Stream&, std::string_view);

extern "C" ladder::Status
__wrap__ZN6ladder5grant11check_fieldERKNS0_11StreamGrantERKNS_5model6StreamESt17basic_string_viewIcSt11char_traitsIcEE(
    const ladder::grant::StreamGrant&, const ladder::model::Stream&, std::string_view) {
  return {};
}
