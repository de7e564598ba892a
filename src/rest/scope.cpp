#include "rest/scope.h"

#include "base/format.h"

#include <charconv>

namespace ladder::rest {

Result<std::string> connection_of(const http::Query& query, std::vector<port::Warning>& warnings) {
  LADDER_TRY(const auto connection, query.one("connection_id"));
  LADDER_TRY(const auto alias, query.one("connector_instance_id"));
  if (!alias) return connection.value_or("");
  warnings.push_back(
      {"deprecated_alias_used", "connector_instance_id is the old name of connection_id", "connector_instance_id", {}});
  if (connection && *connection != *alias) {
    return fail(Code::kInvalidArgument, "connection_id and connector_instance_id name different connections; give one",
                "connector_instance_id");
  }
  return *alias;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<std::optional<std::int64_t>> integer_of(const http::Query& query, std::string_view name) {
  LADDER_TRY(const auto text, query.one(name));
  if (!text) return std::nullopt;
  const auto value = whole_number(*text);
  if (!value) return fail(Code::kInvalidRequest, format("{} is a whole number", name), std::string(name));
  return value;
}

}  // namespace ladder::rest
