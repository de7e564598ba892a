// Flags shared by the commands that read, and the target of the equivalent REST request.
#pragma once

#include "base/error/error.h"
#include "cli/invocation/command.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

// Builds the target of a REST request from flags, so that commands use the same code path as client requests.
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

// Flags shared by commands that list records: --filter FIELD=VALUE, and the check of --limit.
class FilterWords {
 public:
  void declare(Arguments& arguments, std::string_view help);  // `help` without "; may be repeated"
  void add_to(RestTarget& target) const;
  std::vector<std::string> words() const;  // for commands that Ladder prints

 private:
  struct Filter {
    std::string parameter, value;  // "filter[field][gte]"
    std::string typed;
  };
  Status take(const std::string& text);

  std::vector<Filter> filters_;
};

// REST ignores a limit that is not a number; a command reports it as an error.
Status check_page_limit(const std::optional<std::string>& limit);

// --token: selects whether a command reads as the owner or as a client.
class Caller {
 public:
  void declare(Arguments& arguments);

  // Returns the owner unless --token is given. LADDER_TOKEN alone has no effect, so the identity is always explicit.
  Result<server::Access> who(const Context& context, Session& session) const;

  // For commands that Ladder prints; they never contain the token.
  std::vector<std::string> words() const {
    return token_ ? std::vector<std::string>{"--token", "env"} : std::vector<std::string>{};
  }
  std::string flags() const { return token_ ? " --token env" : ""; }
  std::string hint() const;  // a line to print after such commands, or empty

 private:
  std::optional<std::string> token_;
};

}  // namespace ladder::cli
