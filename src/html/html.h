// HTML that is safe by type. A page consists of string literals from the source and of values. The type of a value decides how
// it is escaped, so text from owners and clients cannot be written unescaped:
//
//   out << Markup("<p class=\"lead\">") << Text(name) << Markup("</p>");
//   out << Markup("<a") << Attribute("href", Url::path("/clients")) << Markup(">");
//
// Markup accepts only string literals, which the compiler checks. Everything else is escaped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::html {

// A literal piece of HTML.
class Markup {
 public:
  template <std::size_t N>
  consteval Markup(const char (&literal)[N]) : text_(literal, N - 1) {}
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// Any text, escaped for element content. Characters that reorder or hide neighboring text (bidirectional controls, tags,
// zero-width characters) are shown as U+XXXX.
class Text {
 public:
  explicit Text(std::string_view text) : text_(text) {}
  explicit Text(std::string&& text) : own_(std::move(text)), text_(own_) {}
  explicit Text(std::int64_t number);  // formatted with thousands separators
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  std::string_view text() const { return text_; }

 private:
  std::string own_;
  std::string_view text_;
};

// Long text in its own element with dir="auto". Escaped like Text, but joiners, direction marks and isolates are kept because
// languages need them and they cannot reach beyond the element. Other bidirectional controls are still shown as U+XXXX.
class Prose {
 public:
  explicit Prose(std::string_view text) : text_(text) {}
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// An address for a link or form: a path on this server, an https address, an http address (loopback), or a private-use scheme
// that was checked as a redirect URI. Never javascript: or data:.
class Url {
 public:
  // A literal path on this server, optionally followed by one percent-encoded query value.
  template <std::size_t N>
  static Url path(const char (&literal)[N]) {
    return Url(std::string(literal, N - 1));
  }
  template <std::size_t N>
  static Url path(const char (&literal)[N], std::string_view query_value) {
    return Url(std::string(literal, N - 1) + encoded(query_value));
  }
  // Adds a percent-encoded query parameter. An empty value adds nothing.
  template <std::size_t N>
  Url with(const char (&name)[N], std::string_view value) const {
    if (value.empty()) return *this;
    const char before = text_.find('?') == std::string::npos ? '?' : '&';
    return Url(text_ + before + std::string(name, N - 1) + '=' + encoded(value));
  }
  // Adds a fragment.
  template <std::size_t N>
  Url at(const char (&fragment)[N]) const {
    return Url(text_ + '#' + std::string(fragment, N - 1));
  }
  // Adds a fragment that ends with a number: at("m", 2) is "#m2".
  template <std::size_t N>
  Url at(const char (&fragment)[N], std::int64_t number) const {
    return Url(text_ + '#' + std::string(fragment, N - 1) + std::to_string(number));
  }
  static std::optional<Url> checked(std::string_view address);  // nullopt for a scheme that could run a script
  const std::string& text() const { return text_; }

  static std::string encoded(std::string_view text);  // percent-encodes everything except unreserved characters

 private:
  explicit Url(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

// Writes name="value" with a leading space. Address attributes (href, src, action, formaction) require a Url.
class Attribute {
 public:
  template <std::size_t N>
  Attribute(const char (&name)[N], std::string_view value) : name_(name, N - 1), value_(value) {
    check(false);
  }
  template <std::size_t N>
  Attribute(const char (&name)[N], const Url& value) : name_(name, N - 1), value_(value.text()) {
    check(true);
  }
  std::string_view name() const { return name_; }
  std::string_view value() const { return value_; }

 private:
  void check(bool is_url) const;  // throws std::logic_error for an address that is not a Url, or a forbidden name
  std::string_view name_;
  std::string value_;
};

// Appends in order. The text is complete at any time.
class Writer {
 public:
  Writer& operator<<(Markup markup) {
    out_ += markup.text();
    return *this;
  }
  Writer& operator<<(const Text& text);
  Writer& operator<<(const Prose& prose);
  Writer& operator<<(const Attribute& attribute);
  Writer& operator<<(const Writer& part) {  // a part that is already escaped
    out_ += part.out_;
    return *this;
  }
  template <class T>
  Writer& operator<<(const T&) = delete;  // plain strings and numbers must be wrapped in one of the types above

  const std::string& text() const { return out_; }
  std::string take() { return std::move(out_); }
  bool empty() const { return out_.empty(); }

 private:
  std::string out_;
};

}  // namespace ladder::html
