// Owner text is data, not orders (design D13): it stands between two lines whose key its author cannot know.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::mcp {

struct Fenced {
  std::string block;         // the opening line, the text, the closing line; no newline at the end
  std::int64_t escaped = 0;  // chars shown as ⟦U+XXXX⟧
};

// `binding` tells what is shown: the same text of the same place gives the same block.
Fenced fence(std::string_view text, std::string_view secret, std::string_view binding);

// Appends the text with what is deceptive as ⟦U+XXXX⟧ and a literal "⟦U+" as ⟦U+27E6⟧U+; how many were.
std::int64_t append_shown(std::string& out, std::string_view text);

// Text that may stand in a line that a model reads. Owner text inside such lines is JSON: nothing in it can end a line, turn the
// text around or hide, and whoever parses it gets the text back unchanged (design D13).

// Overrides and isolates of direction, tag characters, controls other than tab and newline.
bool is_deceptive(char32_t c);

// The same JSON value on one line: what is deceptive or breaks lines stands as \uXXXX, and so does the "=" of an "args={" inside
// it: a call that can be made is never part of somebody's text.
std::string visible_json(std::string_view json);

// A JSON string, visible.
std::string quoted_line(std::string_view text);

// Prose of ours that may quote others: on one line, what is deceptive as ⟦U+XXXX⟧.
std::string one_line(std::string_view text);

// As it is when it holds no white space, quote or anything deceptive; else as a JSON string. Ids are never rewritten.
std::string plain_or_quoted(std::string_view text);

}  // namespace ladder::mcp
