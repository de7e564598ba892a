// The target of a REST request, put together from a command's flags: commands that read take the same way as a client's request.
#pragma once

#include "base/error/error.h"
#include "cli/app/command.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// Flags that commands which list records share: --filter FIELD=VALUE, and the check of --limit.
class FilterWords {
 public:
  void declare(Arguments& arguments, std::string_view help);  // `help` without "; may be repeated"
  void add_to(RestTarget& target) const;
  std::string flags() const;  // for a command that Ladder prints

 private:
  struct Filter {
    std::string parameter, value;  // "filter[field][gte]"
    std::string typed;
  };
  Status take(const std::string& text);

  std::vector<Filter> filters_;
};

// REST takes a limit that is no number for none; a person who mistyped one wants to know.
Status check_page_limit(const std::optional<std::string>& limit);

}  // namespace ladder::cli
