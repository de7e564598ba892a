// The --stream, --connection, --since, --until and --record flags of grant create: each of the last three belongs to the --stream
// or
// --connection before it.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "server/resource_server.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

// [CONNECTION/]STREAM[:field,…]. kInvalidRequest.
Result<server::GrantSelection> parse_stream_word(std::string_view text);

class StreamWords {
 public:
  Status stream(std::string_view text);
  Status connection(std::string_view text);  // every stream of it
  Status since(std::string_view text);
  Status until(std::string_view text);
  Status record(std::string_view text);

  const std::vector<server::GrantSelection>& selections() const { return selections_; }

 private:
  Result<server::GrantSelection*> last(std::string_view flag);
  std::vector<server::GrantSelection> selections_;
};

}  // namespace ladder::cli
