#include "store/postgres/address.h"

#include "base/format.h"

#include <libpq-fe.h>

#include <memory>
#include <string_view>

namespace ladder::store::postgres {

Result<Address> Address::parse(const std::string& text) {
  // The library's own complaint may quote the whole address, so it is not passed on.
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(PQconninfoParse(text.c_str(), nullptr),
                                                                             PQconninfoFree);
  if (!options || text.find('\0') != std::string::npos) {
    return fail(Code::kInvalidRequest,
                "the PostgreSQL address cannot be read: write it as postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special "
                "characters percent-encoded; parts that have defaults may be left out",
                "db");
  }
  Address address{.text = text, .password = {}, .shown = {}};
  std::string user, host, port, database;
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string_view keyword = option->keyword;
    if (keyword == "password") address.password = option->val;
    if (keyword == "user") user = option->val;
    if (keyword == "host" || (keyword == "hostaddr" && host.empty())) host = option->val;
    if (keyword == "port") port = option->val;
    if (keyword == "dbname") database = option->val;
  }
  address.shown =
      format("postgres://{}{}{}{}{}/{}", user, user.empty() ? "" : "@", host, port.empty() ? "" : ":", port, database);
  return address;
}

std::string Address::redact(std::string message) const {
  if (password.empty()) return message;
  for (std::size_t at = message.find(password); at != std::string::npos; at = message.find(password, at + 3)) {
    message.replace(at, password.size(), "***");
  }
  return message;
}

}  // namespace ladder::store::postgres
