// Remembers whose tokens these are, as the server tells in `bearer.token_kind` of its schema (PDPP "schema and streams"). Ladder
// reads with a client's token only (design D16), so nothing else is asked of a server before it has told. Thread-safe.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace ladder::remote {

class TokenKinds {
 public:
  static constexpr std::size_t kMaxTokens = 16;  // a refreshed token takes the place of another; more than a few are old

  // Keeps what a schema body says of this token. A schema that says nothing changes nothing.
  void learn(const std::string& token, std::string_view schema_body);
  bool knows(const std::string& token);
  // Fine for a client's token. kPermission for an owner's, or one of a kind that is not known here; kRsProtocol when the server
  // has not told. `server` is its address, to be named.
  Status check(const std::string& token, std::string_view server);

 private:
  Mutex mutex_;
  std::map<std::string, std::string> kinds_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::remote
