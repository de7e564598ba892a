// The --stream, --connection, --since, --until and --record flags of grant create. Each of the last three applies to the
// --stream or --connection before it.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "server/owner/grant_plan.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

// Parses [CONNECTION/]STREAM[:field,…]. Returns kInvalidRequest on error.
Result<server::GrantSelection> parse_stream_word(std::string_view text);

class StreamWords {
 public:
  Status stream(std::string_view text);
  Status connection(std::string_view text);  // selects every stream of the connection
  Status since(std::string_view text);
  Status until(std::string_view text);
  Status record(std::string_view text);

  const std::vector<server::GrantSelection>& selections() const { return selections_; }

 private:
  Result<server::GrantSelection*> last(std::string_view flag);
  std::vector<server::GrantSelection> selections_;
};

}  // namespace ladder::cli
