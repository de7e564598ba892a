// Text in headers of mail as programs really write it: encoded words (RFC 2047) cut between bytes where they should be cut
// between letters, parameters in several pieces (RFC 2231), and plain bytes of a charset that only the body names.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace ladder::imports::mail {

// In what the bytes of headers are written that name no charset themselves.
struct HeaderCharset {
  std::string named = {};              // by the message's own text; "" when it is silent
  std::set<std::string> guessed = {};  // encodings that were told from the bytes alone, as they are read
};

// The header as UTF-8 in which all encoded words are of UTF-8, and words that stand beside each other are one: GMime loses what
// stands behind the first of several, and does not know the charsets that the Encoding Standard knows.
std::string recode_words(std::string_view header, HeaderCharset& charset);

// The parameter of a header such as Content-Disposition that is written as RFC 2231 has it: name*=gb2312''%C4%E3, or in pieces
// name*0*, name*1. "" when it is not.
std::string extended_parameter(std::string_view header, std::string_view lower_name, HeaderCharset& charset);

}  // namespace ladder::imports::mail
