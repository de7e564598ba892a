#include "import/markdown.h"

#include "import/text.h"

#include <algorithm>
#include <unordered_set>

namespace ladder::imports {
namespace {

constexpr std::size_t kMaxFound = 10'000;
constexpr std::size_t kMaxTargetBytes = 2048;

class OnceList {
 public:
  explicit OnceList(std::vector<std::string>& list) : list_(list) {}
  void add(std::string_view text) {
    if (text.empty() || list_.size() >= kMaxFound) return;
    if (seen_.insert(std::string(text)).second) list_.emplace_back(text);
  }

 private:
  std::vector<std::string>& list_;
  std::unordered_set<std::string> seen_;
};

// Letters, digits, "_", "-", "/" and everything beyond ASCII.
bool is_tag_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '/' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string percent_decoded(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0) {
      plain += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return replace_invalid(plain);
}

// Where the target of a link ends: at the bracket that closes the one before it, since names may hold pairs of them.
std::size_t end_of_target(std::string_view rest) {
  int open = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '(') ++open;
    if (rest[i] == ')' && open-- == 0) return i;
  }
  return rest.find(')');
}

class Reader {
 public:
  MarkdownFacts read(std::string_view text) {
    std::string_view fence;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = text.substr(at, end - at);
      at = end + 1;
      const std::string_view content = trim(line.substr(0, 200));
      if (!fence.empty()) {
        if (content.starts_with(fence)) fence = {};
        continue;
      }
      if (content.starts_with("```") || content.starts_with("~~~")) {
        fence = content.substr(0, 3);
        continue;
      }
      if (facts_.heading.empty() && line.starts_with("# ")) facts_.heading = std::string(trim(line.substr(2, 1000)));
      take_line(line);
    }
    facts_.heading = replace_invalid(facts_.heading);
    return std::move(facts_);
  }

 private:
  void take_line(std::string_view line) {
    for (std::size_t at = 0; at < line.size();) {
      const char c = line[at];
      if (c == '`') {
        const std::size_t close = line.find('`', at + 1);
        at = close == std::string_view::npos ? at + 1 : close + 1;
      } else if (c == '\\') {
        at += 2;
      } else if (c == '[') {
        at = take_link(line, at, at > 0 && line[at - 1] == '!');
      } else if (c == '#' && (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t')) {
        at = take_tag(line, at);
      } else {
        ++at;
      }
    }
  }

  std::size_t take_tag(std::string_view line, std::size_t at) {
    std::size_t end = at + 1;
    while (end < line.size() && is_tag_byte(line[end])) ++end;
    const std::string_view tag = line.substr(at + 1, end - at - 1);
    const bool number = std::ranges::all_of(tag, [](char c) { return c >= '0' && c <= '9'; });  // "#12" is none
    if (!number && tag.size() <= 200) tags_.add(tag);
    return end;
  }

  // [[target#part|alias]] or [text](target "title").
  std::size_t take_link(std::string_view line, std::size_t at, bool embed) {
    OnceList& list = embed ? embeds_ : links_;
    if (line.substr(at, 2) == "[[") {
      const std::size_t close = line.substr(at, kMaxTargetBytes).find("]]");
      if (close == std::string_view::npos) return at + 2;
      const std::string_view inside = line.substr(at + 2, close - 2);
      std::string_view target = inside.substr(0, inside.find_first_of("|#"));
      if (target.ends_with('\\')) target.remove_suffix(1);  // in a table "|" is written "\|"
      list.add(trim(target));
      return at + close + 2;
    }
    const std::size_t close = line.substr(at, kMaxTargetBytes).find("](");
    if (close == std::string_view::npos) return at + 1;
    // What stands between the brackets may hold an image of its own, whose end this is.
    if (line.substr(at + 1, close).find("![") != std::string_view::npos) return at + 1;
    const std::string_view rest = line.substr(at + close + 2, kMaxTargetBytes);
    const std::size_t end = end_of_target(rest);
    if (end == std::string_view::npos) return at + 1;
    std::string_view target = trim(rest.substr(0, end));
    target = target.starts_with('<') ? target.substr(1, target.find('>') - 1) : target.substr(0, target.find(' '));
    list.add(percent_decoded(target));
    return at + close + 2 + end + 1;
  }

  MarkdownFacts facts_;
  OnceList tags_{facts_.tags}, links_{facts_.links}, embeds_{facts_.embeds};
};

}  // namespace

MarkdownFacts read_markdown(std::string_view text) { return Reader().read(text); }

}  // namespace ladder::imports
