// The grammar of HTTP fields (RFC 9110, section 5): what may stand in a name and in a value, and comparison without case.
#pragma once

#include <string_view>

namespace ladder::http {

bool is_token(std::string_view text);        // 1 or more of the characters of a field name or method
bool is_field_value(std::string_view text);  // no controls but the tab: a CR or LF would end the field and start another
bool is_digits(std::string_view text);       // 1 or more decimal digits

// ASCII letters only.
bool equal_without_case(std::string_view a, std::string_view b);
std::string_view trimmed(std::string_view text);  // without spaces and tabs at either end

}  // namespace ladder::http
