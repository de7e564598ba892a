// Texts that macOS stores as serialized objects: the `attributedBody` of an iMessage.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ladder::imports::imessage {

// Returns the text of the first NSString of a typedstream; nullopt if the bytes are not one, or not valid.
std::optional<std::string> text_in_typed_stream(std::string_view bytes);

}  // namespace ladder::imports::imessage
