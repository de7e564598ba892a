// Mailbox names on the wire are in modified UTF-7 (RFC 3501 section 5.1.3): "&" begins UTF-16 in base64 with "," for "/", and
// "-" ends it.
#pragma once

#include <string>
#include <string_view>

namespace ladder::sync::imap {

// Returns the name for people. A name that is not valid modified UTF-7 is shown as it is written, with invalid bytes replaced.
std::string decode_mailbox_name(std::string_view encoded);
std::string encode_mailbox_name(std::string_view utf8);  // `utf8` is valid

}  // namespace ladder::sync::imap
