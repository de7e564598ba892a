// Decodes text in mail headers as real programs write it: encoded words (RFC 2047) that split a character, parameters in
// several pieces (RFC 2231), and raw bytes in a charset that only the body names.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace ladder::imports::mail {

// The charset of header bytes without their own charset.
struct HeaderCharset {
  std::string named = {};              // by the message's text; "" if it names none
  std::set<std::string> guessed = {};  // encodings that were detected while reading
};

// Re-encodes all encoded words of a header as UTF-8 and joins adjacent ones. GMime drops text after the first of several words
// and does not know all charsets of the Encoding Standard.
std::string recode_words(std::string_view header, HeaderCharset& charset);

// Decodes a parameter in RFC 2231 syntax, for headers such as Content-Disposition: name*=gb2312''%C4%E3, or the pieces name*0*,
// name*1. Returns "" if there is none.
std::string extended_parameter(std::string_view header, std::string_view lower_name, HeaderCharset& charset);

}  // namespace ladder::imports::mail
