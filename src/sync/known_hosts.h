// The mail servers of common providers, by the domain of an address.
#pragma once

#include <string>
#include <string_view>

namespace ladder::sync {

std::string host_for(std::string_view address);  // empty if it is not known

}  // namespace ladder::sync
