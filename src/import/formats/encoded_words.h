// Encoded words in headers of mail (RFC 2047), as many programs write them: a long text as several words, each with an end of its
// own, cut between bytes where it should be cut between letters.
#pragma once

#include <string>
#include <string_view>

namespace ladder::imports::mail {

// Words of one charset that stand beside each other become one word. Everything else stays as it is.
std::string join_encoded_words(std::string_view header);

}  // namespace ladder::imports::mail
