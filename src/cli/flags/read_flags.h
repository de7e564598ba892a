// Flags that commands which read share, and the target of the REST request that they make.
#pragma once

#include "base/error/error.h"
#include "cli/app/command.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

// The target of a REST request, put together from a command's flags: commands that read take the same way as a client's request.
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

// --token: whether a command reads as the owner or as a client.
class Caller {
 public:
  void declare(Arguments& arguments);

  // The owner, unless a token is asked for: LADDER_TOKEN alone changes nothing, so that nobody reads as another than they think.
  Result<server::Access> who(const Context& context, Session& session) const;

  std::string flags() const { return token_ ? " --token env" : ""; }  // for a command that Ladder prints: never the token itself
  std::string hint() const;                                           // a line that belongs under such commands, or empty

 private:
  std::optional<std::string> token_;
};

}  // namespace ladder::cli
