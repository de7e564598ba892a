#include "import/formats/mail_flowed.h"

#include <algorithm>
#include <optional>

namespace ladder::imports::mail {
namespace {

constexpr std::string_view kSignature = "-- ";

struct Line {
  std::size_t depth = 0;  // of quoting
  std::string_view text;  // without quote marks and stuffing
};

Line line_of(std::string_view raw) {
  Line line;
  line.depth = std::min(raw.find_first_not_of('>'), raw.size());
  line.text = raw.substr(line.depth);
  if (line.text.starts_with(' ')) line.text.remove_prefix(1);
  return line;
}

}  // namespace

std::string unflowed(std::string_view text, bool delete_space) {
  std::string out;
  out.reserve(text.size());
  std::optional<std::size_t> open;  // the quote depth of a line that goes on
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const Line line = line_of(text.substr(at, end - at));
    at = end + 1;
    const bool is_signature = line.text == kSignature;
    if (!open || *open != line.depth || is_signature) {
      if (open) out += '\n';
      out.append(line.depth, '>');
      if (line.depth > 0) out += ' ';
    }
    const bool flows = !is_signature && line.text.ends_with(' ');
    out += flows && delete_space ? line.text.substr(0, line.text.size() - 1) : line.text;
    open = flows ? std::optional(line.depth) : std::nullopt;
    if (!flows) out += '\n';
  }
  return out;
}

}  // namespace ladder::imports::mail
