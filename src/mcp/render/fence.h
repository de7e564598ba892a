// Owner text is data, not instructions (design D13): it is enclosed in two lines with a key that its author cannot know.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::mcp {

struct Fenced {
  std::string block;         // opening line, text, closing line; no newline at the end
  std::int64_t escaped = 0;  // number of characters shown as ⟦U+XXXX⟧
};

// `binding` identifies the shown text: the same text from the same field gets the same block.
Fenced fence(std::string_view text, std::string_view secret, std::string_view binding);

// Appends the text with deceptive characters as ⟦U+XXXX⟧ and a literal "⟦U+" as ⟦U+27E6⟧U+; returns how many were escaped.
std::int64_t append_shown(std::string& out, std::string_view text);

// Text in lines that a model reads. Owner text in such lines is JSON: it cannot end a line, reverse the text or hide, and
// parsing restores it unchanged (design D13).

// Matches directional overrides and isolates, tag characters, and controls except tab and newline.
bool is_deceptive(char32_t c);

// Returns the same JSON value on one line. Deceptive characters and line breaks are escaped as \uXXXX, and so is the "=" of an
// "args={", so that owner text never contains a callable tool call.
std::string visible_json(std::string_view json);

// Returns a JSON string in visible form.
std::string quoted_line(std::string_view text);

// Returns our own message, which may quote other text, on one line, with deceptive characters as ⟦U+XXXX⟧.
std::string one_line(std::string_view text);

// Returns the text unchanged if it contains no white space, quote or deceptive character; else as a JSON string. Ids are never
// changed.
std::string plain_or_quoted(std::string_view text);

}  // namespace ladder::mcp
