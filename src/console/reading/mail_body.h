// Divides the text of a mail into what its author wrote, the messages that it quotes, and the signature. The parts in order are
// the complete text.
#pragma once

#include "console/reading/matches.h"
#include "html/html.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace ladder::console {

enum class BodyKind : std::uint8_t { kText, kQuote, kSignature };

struct BodyPart {
  BodyKind kind = BodyKind::kText;
  std::string_view text;

  friend bool operator==(const BodyPart&, const BodyPart&) = default;
};

// A quote is a run of lines that begin with ">", together with the line that introduces it ("On Sunday, Nora wrote:"), or the
// rest of the text after the header of a message below the reply. A signature begins with a line of two hyphens.
std::vector<BodyPart> body_parts(std::string_view text);

// The body as HTML: quotes at the end and signatures are folded, quotes between answers are shown. Quote marks are hidden, and
// the levels of a quote are nested.
html::Writer mail_body(std::string_view text, Matches::In& matches);

}  // namespace ladder::console
