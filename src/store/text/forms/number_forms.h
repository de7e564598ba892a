// Other ways to write a number: "53 500" and "53.500" for "53500", "0171 1234567" for "+49 171 1234567".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

bool are_digits(std::string_view word);

// The forms of a number that is written as these groups of digits: words of the index, several with a space between them, and
// without the number itself. A number of nine digits and more may be that of a telephone, with or without the country's code.
std::vector<std::string> number_forms(std::span<const std::string> groups);

// Says whether neighbouring groups may be one telephone number.
bool may_be_phone(std::span<const std::string> groups);

}  // namespace ladder::store
