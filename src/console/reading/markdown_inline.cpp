// Emphasis, code, links and images inside a paragraph.
#include "console/reading/markdown.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace ladder::console {
namespace {

using html::Attribute;
using html::Markup;
using html::Text;
using html::Url;
using html::Writer;

constexpr std::size_t kMaxSpan = 2'000;  // bytes between an opening and its closing mark
constexpr int kMaxDepth = 6;             // of emphasis and links in each other

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
}
bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool is_punctuation(char c) { return c > ' ' && c < 0x7F && !is_word(c); }

// An address that a link may have: http, https or mailto.
std::optional<Url> link_address(std::string_view address) {
  std::string scheme(address.substr(0, std::min(address.find(':'), address.size())));
  std::ranges::transform(scheme, scheme.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return scheme == "http" || scheme == "https" || scheme == "mailto" ? Url::checked(address) : std::nullopt;
}

class Inline {
 public:
  explicit Inline(Matches::In& matches) : matches_(matches) {}

  Writer write(std::string_view text, int depth) {
    Writer out;
    std::size_t plain = 0;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t taken = 0;
      const Writer made = depth < kMaxDepth ? construct(text, at, depth, taken) : Writer();
      if (taken == 0) {
        ++at;
        continue;
      }
      out << matches_.part(text.substr(plain, at - plain)) << made;
      plain = at += taken;
    }
    out << matches_.part(text.substr(plain));
    return out;
  }

 private:
  // Writes the construct that begins at `at`. `taken` is its length, or 0 if there is none.
  Writer construct(std::string_view text, std::size_t at, int depth, std::size_t& taken) {
    switch (text[at]) {
      case '\\':
        return escaped(text, at, taken);
      case '`':
        return code(text, at, taken);
      case '*':
      case '_':
      case '~':
        return emphasis(text, at, depth, taken);
      case '[':
        return text.substr(at).starts_with("[[") ? note_link(text, at + 2, taken) : link(text, at, depth, taken);
      case '!':
        return image(text, at, taken);
      case '<':
        return angle_link(text, at, taken);
      case 'h':
        return bare_link(text, at, taken);
      default:
        return {};
    }
  }

  Writer escaped(std::string_view text, std::size_t at, std::size_t& taken) {
    if (at + 1 >= text.size() || !is_punctuation(text[at + 1])) return {};
    taken = 2;
    return matches_.part(text.substr(at + 1, 1));
  }

  Writer code(std::string_view text, std::size_t at, std::size_t& taken) {
    const std::size_t end = std::min(text.find_first_not_of('`', at), text.size());
    const std::string_view fence = text.substr(at, end - at);
    const std::size_t close = text.substr(0, std::min(text.size(), end + kMaxSpan)).find(fence, end);
    if (close == std::string_view::npos || close == end) return {};
    taken = close + fence.size() - at;
    Writer out;
    out << Markup("<code>") << matches_.part(text.substr(end, close - end)) << Markup("</code>");
    return out;
  }

  Writer emphasis(std::string_view text, std::size_t at, int depth, std::size_t& taken) {
    const char mark = text[at];
    const std::size_t run = std::min<std::size_t>(std::min(text.find_first_not_of(mark, at), text.size()) - at, 2);
    if (mark == '~' && run != 2) return {};
    const std::size_t begin = at + run;
    if (begin >= text.size() || is_space(text[begin])) return {};
    if (mark == '_' && at > 0 && is_word(text[at - 1])) return {};
    const std::size_t close = closing(text, begin, mark, run);
    if (close == std::string_view::npos) return {};
    taken = close + run - at;
    Writer out;
    const Writer inside = write(text.substr(begin, close - begin), depth + 1);
    if (mark == '~') out << Markup("<del>") << inside << Markup("</del>");
    else if (run == 2) out << Markup("<strong>") << inside << Markup("</strong>");
    else out << Markup("<em>") << inside << Markup("</em>");
    return out;
  }

  // The closing mark: exactly as long as the opening one, not after a space and, for "_", not inside a word.
  static std::size_t closing(std::string_view text, std::size_t from, char mark, std::size_t run) {
    const std::size_t end = std::min(text.size(), from + kMaxSpan);
    for (std::size_t at = from; at < end;) {
      if (text[at] == '\\') {
        at += 2;
        continue;
      }
      if (text[at] != mark) {
        ++at;
        continue;
      }
      const std::size_t after = std::min(text.find_first_not_of(mark, at), text.size());
      const bool fits = after - at == run && at > from && !is_space(text[at - 1]);
      if (fits && !(mark == '_' && after < text.size() && is_word(text[after]))) return at;
      at = after;
    }
    return std::string_view::npos;
  }

  // The position of the bracket that closes the one before `from`.
  static std::size_t closing_bracket(std::string_view text, std::size_t from, char open, char close) {
    const std::size_t end = std::min(text.size(), from + kMaxSpan);
    int level = 1;
    for (std::size_t at = from; at < end; ++at) {
      if (text[at] == '\\') ++at;
      else if (text[at] == open) ++level;
      else if (text[at] == close && --level == 0) return at;
    }
    return std::string_view::npos;
  }

  struct Target {
    std::string_view label, address;
    std::size_t end = 0;
  };
  // "label](address)" or "label](address "title")", after the first bracket.
  static std::optional<Target> target(std::string_view text, std::size_t from) {
    const std::size_t close = closing_bracket(text, from, '[', ']');
    if (close == std::string_view::npos || !text.substr(close + 1).starts_with('(')) return std::nullopt;
    const std::size_t end = closing_bracket(text, close + 2, '(', ')');
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view address = text.substr(close + 2, end - close - 2);
    address = address.substr(0, address.find(" \""));
    if (address.starts_with('<') && address.ends_with('>')) address = address.substr(1, address.size() - 2);
    return Target{text.substr(from, close - from), address, end + 1};
  }

  Writer link(std::string_view text, std::size_t at, int depth, std::size_t& taken) {
    const auto found = target(text, at + 1);
    if (!found || found->label.empty()) return {};
    taken = found->end - at;
    return linked(write(found->label, depth + 1), found->label, found->address);
  }

  // A link shows where it leads, unless its text already does.
  Writer linked(const Writer& label, std::string_view label_text, std::string_view address) {
    Writer out;
    const auto url = link_address(address);
    if (url) {
      out << Markup("<a target=\"_blank\" rel=\"noopener noreferrer nofollow\"") << Attribute("href", *url) << Markup(">")
          << label << Markup("</a>");
    } else {
      out << label;
    }
    if (address != label_text && !address.empty()) {
      out << Markup(" <span class=\"quiet small\">(") << matches_.part(address) << Markup(")</span>");
    }
    return out;
  }

  Writer image(std::string_view text, std::size_t at, std::size_t& taken) {
    Writer out;
    if (text.substr(at).starts_with("![[")) {
      const Writer named = note_link(text, at + 3, taken);
      if (taken == 0) return {};
      taken += 1;
      out << Markup("<span class=\"embed\">Image: ") << named << Markup("</span>");
      return out;
    }
    if (!text.substr(at).starts_with("![")) return {};
    const auto found = target(text, at + 2);
    if (!found) return {};
    taken = found->end - at;
    out << Markup("<span class=\"embed\">Image: ") << matches_.part(found->label) << Markup(" <span class=\"quiet small\">(")
        << matches_.part(found->address) << Markup(")</span></span>");
    return out;
  }

  // "[[Other note]]" or "[[Other note|as shown]]"; `from` is after the brackets.
  Writer note_link(std::string_view text, std::size_t from, std::size_t& taken) {
    const std::size_t close = text.substr(0, std::min(text.size(), from + kMaxSpan)).find("]]", from);
    if (close == std::string_view::npos || close == from) return {};
    std::string_view name = text.substr(from, close - from);
    if (name.find_first_of("[]\n") != std::string_view::npos) return {};
    taken = close + 2 - (from - 2);
    if (const std::size_t bar = name.find('|'); bar != std::string_view::npos) name.remove_prefix(bar + 1);
    Writer out;
    out << Markup("<span class=\"note-link\">") << matches_.part(name) << Markup("</span>");
    return out;
  }

  Writer angle_link(std::string_view text, std::size_t at, std::size_t& taken) {
    const std::size_t close = text.substr(0, std::min(text.size(), at + kMaxSpan)).find('>', at);
    if (close == std::string_view::npos) return {};
    const std::string_view address = text.substr(at + 1, close - at - 1);
    if (!link_address(address)) return {};
    taken = close + 1 - at;
    return linked(matches_.part(address), address, address);
  }

  Writer bare_link(std::string_view text, std::size_t at, std::size_t& taken) {
    const std::string_view rest = text.substr(at);
    if (!rest.starts_with("https://") && !rest.starts_with("http://")) return {};
    if (at > 0 && is_word(text[at - 1])) return {};
    std::string_view address = rest.substr(0, rest.find_first_of(" \t\r\n<>\"'`|"));
    while (!address.empty() && std::string_view(".,;:!?)]*_~").find(address.back()) != std::string_view::npos)
      address.remove_suffix(1);
    if (address.size() < 10 || !link_address(address)) return {};
    taken = address.size();
    return linked(matches_.part(address), address, address);
  }

  Matches::In& matches_;
};

}  // namespace

Writer markdown_inline(std::string_view text, Matches::In& matches) { return Inline(matches).write(text, 0); }

}  // namespace ladder::console
