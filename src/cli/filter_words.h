// What commands that list records share: --filter FIELD=VALUE, and the check of --limit.
#pragma once

#include "base/result.h"
#include "cli/command.h"
#include "cli/rest_target.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

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
