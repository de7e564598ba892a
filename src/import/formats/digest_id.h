// Ids of records whose export has none that could serve as a key.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace ladder::imports {

// The first 32 hex digits of SHA-256 over the texts and their lengths.
std::string digest_id(std::initializer_list<std::string_view> texts);

}  // namespace ladder::imports
