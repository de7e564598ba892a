// The --stream, --since, --until and --record flags of grant create: each of the last three belongs to the --stream before it.
#pragma once

#include "base/result.h"
#include "base/time.h"
#include "rs/resource_server.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

// [CONNECTION/]STREAM[:field,…]. kInvalidRequest.
Result<rs::GrantSelection> parse_stream_word(std::string_view text);

// A time as people type it: RFC 3339, or a date. kInvalidRequest naming the flag.
Result<Instant> parse_time_word(std::string_view text, std::string_view flag);

class StreamWords {
 public:
  Status stream(std::string_view text);
  Status since(std::string_view text);
  Status until(std::string_view text);
  Status record(std::string_view text);

  const std::vector<rs::GrantSelection>& selections() const { return selections_; }

 private:
  Result<rs::GrantSelection*> last(std::string_view flag);
  std::vector<rs::GrantSelection> selections_;
};

}  // namespace ladder::cli
