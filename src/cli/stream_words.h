// The --stream, --connection, --since, --until and --record flags of grant create: each of the last three belongs to the --stream
// or
// --connection before it.
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

class StreamWords {
 public:
  Status stream(std::string_view text);
  Status connection(std::string_view text);  // every stream of it
  Status since(std::string_view text);
  Status until(std::string_view text);
  Status record(std::string_view text);

  const std::vector<rs::GrantSelection>& selections() const { return selections_; }

 private:
  Result<rs::GrantSelection*> last(std::string_view flag);
  std::vector<rs::GrantSelection> selections_;
};

}  // namespace ladder::cli
