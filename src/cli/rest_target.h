// The target of a REST request, put together from a command's flags: commands that read take the same way as a client's request.
#pragma once

#include <string>
#include <string_view>

namespace ladder::cli {

class RestTarget {
 public:
  explicit RestTarget(std::string path) : text_(std::move(path)) {}

  static std::string segment(std::string_view name);  // percent-encoded
  void add(std::string_view name, std::string_view value);

  const std::string& text() const { return text_; }
  std::string_view path() const { return std::string_view(text_).substr(0, text_.find('?')); }
  std::string_view query() const;

 private:
  std::string text_;
};

}  // namespace ladder::cli
