// The table of error codes, and error details that are allocated on demand.
#include "base/error/error.h"

#include <array>

namespace ladder {
namespace {

constexpr std::array kCodes = {
#define LADDER_INFO(name, wire, status, meaning) CodeInfo{Code::name, wire, status, meaning},
    LADDER_ERROR_CODES(LADDER_INFO)
#undef LADDER_INFO
};

}  // namespace

const CodeInfo& info(Code code) {
  const auto index = static_cast<std::size_t>(code);
  return index < kCodes.size() ? kCodes[index] : kCodes[static_cast<std::size_t>(Code::kInternal)];
}

std::span<const CodeInfo> all_codes() { return kCodes; }

ErrorDetails& Error::details() {
  if (!more) {
    more = std::make_shared<ErrorDetails>();
  } else if (more.use_count() > 1) {
    more = std::make_shared<ErrorDetails>(*more);
  }
  return *more;
}

}  // namespace ladder
