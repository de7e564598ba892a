// Other ways to write a number: "53 500" and "53.500" for "53500", "0171 1234567" for "+49 171 1234567".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::text {

bool are_digits(std::string_view word);

// The other forms of a number written as these groups of digits: words of the index, several separated by spaces,
// without the number itself. A number of nine or more digits may be a telephone number, with or without the country
// code.
std::vector<std::string> number_forms(std::span<const std::string> groups);

// Returns whether adjacent groups may be one telephone number.
bool may_be_phone(std::span<const std::string> groups);

}  // namespace ladder::text
