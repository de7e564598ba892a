// Builds an owner's catalog from its rows and caches the newest version.
#include "server/catalog/catalog.h"

#include "base/text/format.h"
#include "model/quote.h"

#include <algorithm>
#include <array>

namespace ladder::server {
namespace {

// Default labels set by software rather than by the owner (PDPP "identity").
constexpr std::array<std::string_view, 3> kNoLabels = {"legacy", "default_account", "Default account"};
constexpr std::string_view kRegistry = "https://registry.pdpp.dev/connectors/";

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

template <class Entry>
const Entry* find_entry(const std::vector<std::unique_ptr<Entry>>& entries, auto&& wanted) {
  const auto found = std::ranges::find_if(entries, [&](const auto& entry) { return wanted(*entry); });
  return found == entries.end() ? nullptr : found->get();
}

}  // namespace

std::string ConnectionEntry::display_name() const {
  const std::string& label = row.display_name;
  const bool says_nothing = is_blank(label) || std::ranges::find(kNoLabels, label) != kNoLabels.end() ||
                            label == row.connection_id || label == source->row.key || label == source->row.source_id ||
                            label.starts_with(kRegistry);
  return says_nothing ? std::string() : label;
}

Result<std::shared_ptr<const OwnerCatalog>> OwnerCatalog::build(const store::Catalog& rows) {
  auto catalog = std::make_shared<OwnerCatalog>();
  catalog->version_ = rows.owner.catalog_version;
  for (const store::SourceRow& row : rows.sources) {
    auto declaration = model::parse_declaration(row.declaration);
    if (!declaration) {
      Error error{Code::kInternal,
                  format("the stored declaration of source \"{}\" can't be read; add it again with `ladder source add FILE.json`",
                         row.key)};
      error.log_detail = declaration.error().message;
      return std::unexpected(std::move(error));
    }
    auto& entry = catalog->sources_.emplace_back(std::make_unique<SourceEntry>(SourceEntry{row, *std::move(declaration)}));
    for (const model::Stream& stream : entry->declaration.streams) entry->streams.emplace(stream.name, &stream);
  }
  std::map<store::ConnectionNo, ConnectionEntry*> by_no;
  for (const store::ConnectionRow& row : rows.connections) {
    const SourceEntry* source = find_entry(catalog->sources_, [&](const SourceEntry& each) { return each.row.no == row.source; });
    if (!source)
      return fail(Code::kInternal, format("connection \"{}\" has no source; run `ladder doctor` for details", row.connection_id));
    auto& entry = catalog->connections_.emplace_back(std::make_unique<ConnectionEntry>(ConnectionEntry{row, source, {}, {}, {}}));
    by_no.emplace(row.no, entry.get());
    catalog->by_connection_id_.emplace(row.connection_id, entry.get());
  }
  std::map<store::StreamNo, ConnectionEntry*> by_stream;
  for (const store::StreamRow& row : rows.streams) {
    const auto found = by_no.find(row.connection);
    if (found == by_no.end() || found->second->row.status == kErasing) continue;
    found->second->streams.emplace(row.name, row.no);
    by_stream.emplace(row.no, found->second);
  }
  for (const store::FieldRow& row : rows.fields) catalog->field_names_.emplace(row.no, row.name);
  for (const store::IndexRow& row : rows.indexes) {
    const auto connection = by_stream.find(row.stream);
    const auto name = catalog->field_names_.find(row.field);
    if (!row.ready || connection == by_stream.end() || name == catalog->field_names_.end()) continue;
    connection->second->indexes[row.stream].emplace(name->second, FieldIndex{row.no, row.kind});
  }
  for (const store::WordColumnRow& row : rows.word_columns) {
    const auto connection = by_stream.find(row.stream);
    const auto name = catalog->field_names_.find(row.field);
    if (connection == by_stream.end() || name == catalog->field_names_.end()) continue;
    WordField& field = connection->second->word_fields[row.stream][name->second];
    if (!field.ready) field = {row.column, row.ready};  // an index that is being dropped must not hide a ready one
  }
  catalog->fields_ = rows.fields;
  return catalog;
}

const FieldIndex* ConnectionStream::index(std::string_view field) const {
  const auto of_stream = connection->indexes.find(no);
  if (of_stream == connection->indexes.end()) return nullptr;
  const auto found = of_stream->second.find(field);
  return found == of_stream->second.end() ? nullptr : &found->second;
}

const WordFields& ConnectionStream::word_fields() const {
  static const WordFields none;
  const auto of_stream = connection->word_fields.find(no);
  return of_stream == connection->word_fields.end() ? none : of_stream->second;
}

const SourceEntry* OwnerCatalog::source_by_key(std::string_view key) const {
  return find_entry(sources_, [&](const SourceEntry& each) { return each.row.key == key; });
}

const SourceEntry* OwnerCatalog::source_by_id(std::string_view source_id) const {
  return find_entry(sources_, [&](const SourceEntry& each) { return each.row.source_id == source_id; });
}

const ConnectionEntry* OwnerCatalog::connection(std::string_view connection_id) const {
  const auto found = by_connection_id_.find(connection_id);
  return found == by_connection_id_.end() ? nullptr : found->second;
}

std::optional<ConnectionStream> OwnerCatalog::find_stream(const ConnectionEntry& connection, std::string_view stream) const {
  const auto declared = connection.source->streams.find(stream);
  const auto found = connection.streams.find(stream);
  if (declared == connection.source->streams.end() || found == connection.streams.end()) return std::nullopt;
  return ConnectionStream{found->second, &connection, declared->second, &field_names_};
}

std::map<std::string, store::FieldNo, std::less<>> OwnerCatalog::field_numbers(const SourceEntry& source,
                                                                               std::string_view stream) const {
  std::map<std::string, store::FieldNo, std::less<>> numbers;
  for (const store::FieldRow& row : fields_) {
    if (row.source == source.row.no && row.stream == stream) numbers.emplace(row.name, row.no);
  }
  return numbers;
}

Result<std::shared_ptr<const OwnerCatalog>> CatalogCache::get(store::OwnerNo owner) {
  {
    const MutexLock lock(mutex_);
    if (const auto found = cached_.find(owner); found != cached_.end()) return found->second;
  }
  return refresh(owner);
}

Result<std::shared_ptr<const OwnerCatalog>> CatalogCache::refresh(store::OwnerNo owner) {
  LADDER_TRY(const store::Catalog rows, store_.catalog(owner));
  LADDER_TRY(auto built, OwnerCatalog::build(rows));
  const MutexLock lock(mutex_);
  auto& newest = cached_[owner];
  if (!newest || newest->version() <= built->version()) newest = built;  // another thread may have loaded a newer version
  return newest;
}

Result<std::shared_ptr<const OwnerCatalog>> CatalogCache::newest(store::OwnerNo owner) {
  LADDER_TRY(auto cached, get(owner));
  LADDER_TRY(const auto access_status, store_.access_status({owner, 0, 0}));
  if (access_status.catalog_version == cached->version()) return cached;
  return refresh(owner);
}

// Errors that list existing names.

namespace {

constexpr std::size_t kMaxListed = 12;  // names in one line; the `list` commands show all

}  // namespace

std::string listed(const std::vector<std::string>& names, std::string_view none) {
  if (names.empty()) return std::string(none);
  std::string text;
  for (std::size_t index = 0; index < names.size(); ++index) {
    if (index == kMaxListed) return text + format(" and {} more", names.size() - kMaxListed);
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

Status check_not_erasing(const ConnectionEntry& connection, Code code) {
  if (connection.row.status != kErasing) return {};
  return fail(code,
              format("connection {} is being erased; run `ladder erase` with its id to continue",
                     model::in_quotes(connection.row.connection_id)),
              "connection_id");
}

}  // namespace ladder::server
