// Errors that name what exists.
#include "rs/wording.h"

#include "base/format.h"
#include "model/quote.h"

namespace ladder::rs {
namespace {

constexpr std::size_t kMostListed = 12;  // a line of them; `list` commands show the rest

}  // namespace

std::string listed(const std::vector<std::string>& names, std::string_view none) {
  if (names.empty()) return std::string(none);
  std::string text;
  for (std::size_t index = 0; index < names.size(); ++index) {
    if (index == kMostListed) return text + format(" and {} more", names.size() - kMostListed);
    text += (index == 0 ? "" : ", ") + model::in_quotes(names[index]);
  }
  return text;
}

Error damaged_in(Error error, std::string_view record, std::string_view field) {
  const std::string record_text = model::in_quotes(record);
  const std::string what =
      field.empty() ? format("record {}", record_text) : format("field {} of record {}", model::in_quotes(field), record_text);
  error.message =
      format("{} is damaged in the store and is not shown: send or import the record again, or restore a backup", what);
  error.details().record = record;
  error.details().field_path = field;
  return error;
}

std::unexpected<Error> unknown_source(const OwnerCatalog& catalog, std::string_view key) {
  std::vector<std::string> keys;
  for (const auto& source : catalog.sources()) keys.push_back(source->row.key);
  return fail(Code::kNotFound,
              format("there is no source with the key {}; there is {}", model::in_quotes(key),
                     listed(keys, "none yet: `ladder source add FILE.json` adds one")),
              "key");
}

std::unexpected<Error> unknown_connection(const OwnerCatalog& catalog, std::string_view connection_id) {
  std::vector<std::string> ids;
  ids.reserve(catalog.connections().size());
  for (const auto& connection : catalog.connections()) ids.push_back(connection->row.connection_id);
  return fail(Code::kConnectionNotFound,
              format("there is no connection {}; there is {}", model::in_quotes(connection_id),
                     listed(ids, "none yet: `ladder connection add KEY` adds one")),
              "connection_id");
}

std::unexpected<Error> unknown_stream(const SourceEntry& source, std::string_view stream) {
  std::vector<std::string> names;
  names.reserve(source.declaration.streams.size());
  for (const model::Stream& declared : source.declaration.streams) names.push_back(declared.name);
  return fail(Code::kStreamNotDeclared,
              format("source {} declares no stream {}; it declares {}", model::in_quotes(source.row.key),
                     model::in_quotes(stream), listed(names, "none")),
              "stream");
}

}  // namespace ladder::rs
