#include "sync/dav/xml.h"

#include "base/text/format.h"
#include "base/text/utf8.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

namespace ladder::sync::dav {
namespace {

constexpr std::size_t kMaxDepth = 64, kMaxElements = 500'000, kMaxNameBytes = 512, kMaxAttributes = 64;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

void append_utf8(std::string& out, std::uint32_t point) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | (point >> 6));
    put(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    put(0xE0 | (point >> 12));
    put(0x80 | ((point >> 6) & 0x3F));
    put(0x80 | (point & 0x3F));
  } else {
    put(0xF0 | (point >> 18));
    put(0x80 | ((point >> 12) & 0x3F));
    put(0x80 | ((point >> 6) & 0x3F));
    put(0x80 | (point & 0x3F));
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Element> parse() {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    LADDER_CHECK(skip_between());
    Element root;
    LADDER_CHECK(element(root, 1));
    LADDER_CHECK(skip_between());
    if (!text_.empty()) return wrong("text after the last element");
    return root;
  }

 private:
  using Space = std::shared_ptr<const std::string>;
  using Binding = std::pair<std::string, Space>;  // prefix → namespace

  static std::unexpected<Error> wrong(std::string_view what) {
    return fail(Code::kRsProtocol, format("the server's answer is not valid XML: {}", what));
  }

  bool take(std::string_view wanted) {
    if (!text_.starts_with(wanted)) return false;
    text_.remove_prefix(wanted.size());
    return true;
  }
  void skip_spaces() {
    while (!text_.empty() && is_space(text_.front())) text_.remove_prefix(1);
  }
  Status skip_to(std::string_view end) {
    const std::size_t at = text_.find(end);
    if (at == std::string_view::npos) return wrong("it ends too early");
    text_.remove_prefix(at + end.size());
    return {};
  }
  // Skips comments, processing instructions and spaces outside the root.
  Status skip_between() {
    for (;;) {
      skip_spaces();
      if (take("<!--")) LADDER_CHECK(skip_to("-->"));
      else if (take("<?")) LADDER_CHECK(skip_to("?>"));
      else if (text_.starts_with("<!")) return wrong("it defines a document type");
      else return {};
    }
  }

  Result<std::string> name() {
    const auto end = std::ranges::find_if(text_, [](char c) { return is_space(c) || std::string_view("=/><\"'&").contains(c); });
    const auto size = static_cast<std::size_t>(end - text_.begin());
    if (size == 0 || size > kMaxNameBytes) return wrong("a name is missing or too long");
    std::string out(text_.substr(0, size));
    text_.remove_prefix(size);
    return out;
  }

  // Decodes text with references and appends it.
  static Status decode(std::string_view raw, std::string& out) {
    while (!raw.empty()) {
      const std::size_t at = std::min(raw.find('&'), raw.size());
      out += raw.substr(0, at);
      raw.remove_prefix(at);
      if (raw.empty()) return {};
      const std::size_t end = raw.find(';');
      if (end == std::string_view::npos) return wrong("a reference has no end");
      LADDER_CHECK(decode_reference(raw.substr(1, end - 1), out));
      raw.remove_prefix(end + 1);
    }
    return {};
  }

  static Status decode_reference(std::string_view reference, std::string& out) {
    constexpr std::pair<std::string_view, char> kKnown[] = {
        {"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    for (const auto& [known, character] : kKnown) {
      if (reference == known) {
        out += character;
        return {};
      }
    }
    if (!reference.starts_with('#')) return wrong("an entity that is not predefined");
    reference.remove_prefix(1);
    const bool is_hex = reference.starts_with('x');
    if (is_hex) reference.remove_prefix(1);
    std::uint32_t point = 0;
    const auto [end, error] = std::from_chars(reference.data(), reference.data() + reference.size(), point, is_hex ? 16 : 10);
    const bool is_character = point == '\t' || point == '\n' || point == '\r' || (point >= 0x20 && point < 0xD800) ||
                              (point >= 0xE000 && point <= 0x10FFFF && point != 0xFFFE && point != 0xFFFF);
    if (error != std::errc() || end != reference.data() + reference.size() || !is_character)
      return wrong("a character reference");
    append_utf8(out, point);
    return {};
  }

  // Returns null for a prefix that is not declared.
  Space space_of(std::string_view prefix) const {
    for (auto binding = bindings_.rbegin(); binding != bindings_.rend(); ++binding) {
      if (binding->first == prefix) return binding->second;
    }
    return prefix.empty() ? none_ : nullptr;
  }

  // Reads attributes up to the end of the tag; only those that bind namespaces are kept.
  Status attributes() {
    for (std::size_t count = 0;; ++count) {
      skip_spaces();
      if (text_.empty()) return wrong("it ends too early");
      if (text_.front() == '>' || text_.front() == '/') return {};
      if (count >= kMaxAttributes) return wrong("too many attributes");
      LADDER_TRY(const std::string attribute, name());
      skip_spaces();
      if (!take("=")) return wrong("an attribute without a value");
      skip_spaces();
      const char quote = text_.empty() ? '\0' : text_.front();
      if (quote != '"' && quote != '\'') return wrong("an attribute without quotes");
      text_.remove_prefix(1);
      const std::size_t end = text_.find(quote);
      if (end == std::string_view::npos) return wrong("it ends too early");
      const std::string_view raw = text_.substr(0, end);
      text_.remove_prefix(end + 1);
      if (attribute != "xmlns" && !attribute.starts_with("xmlns:")) continue;
      std::string space;
      if (raw.size() > kMaxNameBytes) return wrong("a namespace is too long");
      LADDER_CHECK(decode(raw, space));
      bindings_.emplace_back(attribute == "xmlns" ? "" : attribute.substr(6),
                             std::make_shared<const std::string>(std::move(space)));
    }
  }

  Status element(Element& out, std::size_t depth) {
    if (depth > kMaxDepth || ++elements_ > kMaxElements) return wrong("it has too many elements");
    if (!take("<")) return wrong("an element is missing");
    LADDER_TRY(const std::string full, name());
    const std::size_t outer = bindings_.size();
    LADDER_CHECK(attributes());
    const std::size_t colon = full.find(':');
    out.space = space_of(colon == std::string::npos ? "" : std::string_view(full).substr(0, colon));
    if (!out.space) return wrong("a prefix without a namespace");
    out.name = colon == std::string::npos ? full : full.substr(colon + 1);
    if (take("/")) {
      if (!take(">")) return wrong("a tag without an end");
    } else {
      if (!take(">")) return wrong("a tag without an end");
      LADDER_CHECK(content(out, depth));
      LADDER_TRY(const std::string closed, name());
      skip_spaces();
      if (closed != full || !take(">")) return wrong("an element is not closed");
    }
    bindings_.resize(outer);
    return {};
  }

  // Reads up to the name in the closing tag.
  Status content(Element& out, std::size_t depth) {
    for (;;) {
      const std::size_t at = text_.find('<');
      if (at == std::string_view::npos) return wrong("it ends too early");
      LADDER_CHECK(decode(text_.substr(0, at), out.text));
      text_.remove_prefix(at);
      if (take("</")) return {};
      if (take("<!--")) {
        LADDER_CHECK(skip_to("-->"));
      } else if (take("<![CDATA[")) {
        const std::size_t end = text_.find("]]>");
        if (end == std::string_view::npos) return wrong("it ends too early");
        out.text += text_.substr(0, end);
        text_.remove_prefix(end + 3);
      } else if (take("<?")) {
        LADDER_CHECK(skip_to("?>"));
      } else if (text_.starts_with("<!")) {
        return wrong("a declaration inside an element");
      } else {
        LADDER_CHECK(element(out.children.emplace_back(), depth + 1));
      }
    }
  }

  std::string_view text_;
  const Space none_ = std::make_shared<const std::string>();
  std::vector<Binding> bindings_ = {{"xml", std::make_shared<const std::string>("http://www.w3.org/XML/1998/namespace")}};
  std::size_t elements_ = 0;
};

}  // namespace

const Element* Element::find(std::string_view wanted_space, std::string_view wanted_name) const {
  const auto found = std::ranges::find_if(children, [&](const Element& child) { return child.is(wanted_space, wanted_name); });
  return found == children.end() ? nullptr : &*found;
}

Result<Element> parse_xml(std::string_view text) {
  if (!utf8::is_valid(text)) return fail(Code::kRsProtocol, "the server's answer is not valid XML: it is not UTF-8");
  return Parser(text).parse();
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace ladder::sync::dav
