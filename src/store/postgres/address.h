// Where the server is. The text of an address may hold a password, so it is never shown; `shown` is the form for messages.
#pragma once

#include "base/result.h"

#include <string>

namespace ladder::store::postgres {

struct Address {
  std::string text;      // as given: secret
  std::string password;  // what must not stand in any message, or empty
  std::string shown;     // postgres://user@host:port/database

  // kInvalidRequest when it is not a PostgreSQL address.
  static Result<Address> parse(const std::string& text);
  // The message without the password, should the client library have put it there.
  std::string redact(std::string message) const;
};

}  // namespace ladder::store::postgres
