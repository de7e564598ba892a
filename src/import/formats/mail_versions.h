// A message in two versions, plain text and HTML: most say the same, some plain texts only say that there is an HTML, and some
// HTML says what the plain text forgot.
#pragma once

#include <string>
#include <string_view>

namespace ladder::imports::mail {

struct Versions {
  bool html_says_more = false;  // the plain text is a stub of it
  std::string other_text;       // lines of the version that says less with words which the other one lacks
};

// `page` is the text of the HTML.
Versions compare_versions(std::string_view plain, std::string_view page);

}  // namespace ladder::imports::mail
