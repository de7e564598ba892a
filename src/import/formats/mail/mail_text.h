// The text of a message, made from its plain texts and its HTML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::mail {

bool is_blank(std::string_view text);
void append_paragraphs(std::string& text, std::string_view more);  // after an empty line

// Joins the lines of format=flowed text (RFC 3676): a line that ends with a space continues on the next one. The text has \n
// line ends. If `delete_space` (DelSp=yes), the space is removed.
std::string unflowed(std::string_view text, bool delete_space);

// Compares the plain text and the HTML of a message. Most have the same content, but some plain texts are only stubs, and some
// HTML contains text that is missing from the plain text.
struct Versions {
  bool html_says_more = false;  // the plain text is a stub
  std::string other_text;       // lines of the less complete version with words that the other one lacks
};

// `page` is the text of the HTML.
Versions compare_versions(std::string_view plain, std::string_view page);

struct Body {
  std::string text;  // the plain text, or text converted from HTML: the more complete one
  std::string html;
  std::string other_text;          // lines of the other version with words that `text` lacks
  std::vector<std::string> links;  // of the HTML, if the text was converted from it
  bool html_is_cut = false;        // the HTML exceeds the limit of the converter
};

void convert_html(Body& body);  // converts the HTML to text if there is no plain text
void choose_text(Body& body);   // chooses between plain text and HTML, which should have the same content
// Appends lines of other versions that contain words missing from the text and the lines added so far.
void append_other_words(Body& body, const std::vector<std::string>& others);
void append_body(Body& whole, Body& more);

}  // namespace ladder::imports::mail
