// HTML that is safe by type. A page is made of literals of this program's source and of values; what a value may become is said
// by its type, so that text of owners and clients cannot be written without being escaped for the place where it stands:
//
//   out << Markup("<p class=\"lead\">") << Text(name) << Markup("</p>");
//   out << Markup("<a") << Attribute("href", Url::path("/clients")) << Markup(">");
//
// Markup takes string literals only, which the compiler checks; nothing else is written as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::html {

// HTML as it stands in the source of this program.
class Markup {
 public:
  template <std::size_t N>
  consteval Markup(const char (&literal)[N]) : text_(literal, N - 1) {}
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// Any text, escaped for the inside of an element. Characters that would reorder or hide what stands around them (bidirectional
// controls, tags, zero-width ones) are shown as U+XXXX.
class Text {
 public:
  explicit Text(std::string_view text) : text_(text) {}
  explicit Text(std::string&& text) : own_(std::move(text)), text_(own_) {}
  explicit Text(std::int64_t number);  // with commas between thousands
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  std::string_view text() const { return text_; }

 private:
  std::string own_;
  std::string_view text_;
};

// Long text of an owner in an element of its own with dir="auto": as Text, but joiners, direction marks and isolates stay, since
// languages need them and they cannot reach beyond the element. What would turn letters around is still shown as U+XXXX.
class Prose {
 public:
  explicit Prose(std::string_view text) : text_(text) {}
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// An address that a link or form may lead to: a path of this server, or an https or http address (loopback for http), or a
// private-use scheme that a redirect was checked for. Never javascript: or data:.
class Url {
 public:
  // A path of this server from the source, and what follows it, percent-encoded as one query value.
  template <std::size_t N>
  static Url path(const char (&literal)[N]) {
    return Url(std::string(literal, N - 1));
  }
  template <std::size_t N>
  static Url path(const char (&literal)[N], std::string_view query_value) {
    return Url(std::string(literal, N - 1) + encoded(query_value));
  }
  // One more query parameter, percent-encoded; an empty value adds none.
  template <std::size_t N>
  Url with(const char (&name)[N], std::string_view value) const {
    if (value.empty()) return *this;
    const char before = text_.find('?') == std::string::npos ? '?' : '&';
    return Url(text_ + before + std::string(name, N - 1) + '=' + encoded(value));
  }
  // The place in the page that it leads to.
  template <std::size_t N>
  Url at(const char (&fragment)[N]) const {
    return Url(text_ + '#' + std::string(fragment, N - 1));
  }
  static std::optional<Url> checked(std::string_view address);  // nothing for a scheme that could run a script
  const std::string& text() const { return text_; }

  static std::string encoded(std::string_view text);  // everything but unreserved characters

 private:
  explicit Url(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

// name="value", with a space before it. Of addresses only as a Url: href, src, action, formaction.
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
  void check(bool is_url) const;  // std::logic_error for an address that is no Url, or a name that no attribute may have
  std::string_view name_;
  std::string value_;
};

// Writes in order; the text is complete at any time.
class Writer {
 public:
  Writer& operator<<(Markup markup) {
    out_ += markup.text();
    return *this;
  }
  Writer& operator<<(const Text& text);
  Writer& operator<<(const Prose& prose);
  Writer& operator<<(const Attribute& attribute);
  Writer& operator<<(const Writer& part) {  // a part that was made before
    out_ += part.out_;
    return *this;
  }
  template <class T>
  Writer& operator<<(const T&) = delete;  // plain strings and numbers: say what they are

  const std::string& text() const { return out_; }
  std::string take() { return std::move(out_); }
  bool empty() const { return out_.empty(); }

 private:
  std::string out_;
};

}  // namespace ladder::html
