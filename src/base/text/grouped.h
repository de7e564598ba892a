// Formats numbers for people.
#pragma once

#include <cstdint>
#include <string>

namespace ladder {

std::string grouped(std::int64_t number);  // "1,234,567"

}  // namespace ladder
