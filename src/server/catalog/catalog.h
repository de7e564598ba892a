// An owner's sources, connections and streams, parsed and indexed. A catalog is immutable and shared, and is replaced
// when the store's catalog version changes. Reads never parse a declaration.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "model/declaration/declaration.h"
#include "store/store.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

struct SourceEntry {
  store::SourceRow row;
  model::SourceDeclaration declaration;
  std::map<std::string_view, const model::Stream*> streams = {};  // streams of the declaration, by name
};

struct FieldIndex {
  store::IndexNo no = 0;
  store::IndexKind kind = store::IndexKind::kText;
};
using FieldIndexes = std::map<std::string, FieldIndex, std::less<>>;  // ready indexes by field

// A field in the word index (store/rows/word_search.h).
struct WordField {
  int column = 0;
  bool ready = false;  // the words of every record are indexed
};
using WordFields = std::map<std::string, WordField, std::less<>>;  // by field

// The status of a connection during erasure. No client can read from it or write to it. An interrupted erasure is
// resumed by the same call.
inline constexpr const char* kErasing = "erasing";

struct ConnectionEntry {
  store::ConnectionRow row;
  const SourceEntry* source = nullptr;
  std::map<std::string, store::StreamNo, std::less<>> streams;
  std::map<store::StreamNo, FieldIndexes> indexes;
  std::map<store::StreamNo, WordFields> word_fields;

  // Returns the owner's label, or an empty string if it is blank or adds nothing to the ids (PDPP "identity").
  std::string display_name() const;
};

// One stream of one connection.
struct ConnectionStream {
  store::StreamNo no = 0;
  const ConnectionEntry* connection = nullptr;
  const model::Stream* declared = nullptr;
  const std::map<store::FieldNo, std::string>* field_names = nullptr;

  const FieldIndex* index(std::string_view field) const;  // null if the index does not exist or is not ready
  const WordFields& word_fields() const;                  // including fields that are not ready
};

class OwnerCatalog : public std::enable_shared_from_this<OwnerCatalog> {
 public:
  static Result<std::shared_ptr<const OwnerCatalog>> build(const store::Catalog& rows);

  std::int64_t version() const { return version_; }
  const std::vector<std::unique_ptr<SourceEntry>>& sources() const { return sources_; }
  const std::vector<std::unique_ptr<ConnectionEntry>>& connections() const { return connections_; }
  const SourceEntry* source_by_key(std::string_view key) const;
  const SourceEntry* source_by_id(std::string_view source_id) const;
  const ConnectionEntry* connection(std::string_view connection_id) const;
  // Returns the stream in that connection; nullopt if it is not declared.
  std::optional<ConnectionStream> find_stream(const ConnectionEntry& connection, std::string_view stream) const;
  // Returns the declared field names of a source's stream with their numbers.
  std::map<std::string, store::FieldNo, std::less<>> field_numbers(const SourceEntry& source, std::string_view stream) const;

 private:
  std::int64_t version_ = 0;
  std::vector<std::unique_ptr<SourceEntry>> sources_;
  std::vector<std::unique_ptr<ConnectionEntry>> connections_;
  std::map<std::string, const ConnectionEntry*, std::less<>> by_connection_id_;
  std::vector<store::FieldRow> fields_;
  std::map<store::FieldNo, std::string> field_names_;
};

// The catalogs of a process, one per owner. Thread-safe.
class CatalogCache {
 public:
  explicit CatalogCache(store::Store& store) : store_(store) {}
  Result<std::shared_ptr<const OwnerCatalog>> get(store::OwnerNo owner);
  // Reloads the catalog; called when a read saw another version than the cached one.
  Result<std::shared_ptr<const OwnerCatalog>> refresh(store::OwnerNo owner);
  // Returns the catalog of the store's current version, for operations that don't read the version together with
  // rows.
  Result<std::shared_ptr<const OwnerCatalog>> newest(store::OwnerNo owner);

 private:
  store::Store& store_;
  Mutex mutex_;
  std::map<store::OwnerNo, std::shared_ptr<const OwnerCatalog>> cached_ LADDER_GUARDED_BY(mutex_);
};

// Errors that name existing items. For owner operations only: a client never learns what exists outside its grants
// (design D5).

// Lists names as `"a", "b", "c" and 7 more`; returns `none` for an empty list.
std::string listed(const std::vector<std::string>& names, std::string_view none);

// Adds the record, and the field if known, to a kDamagedData error. Pass only names that the caller may see.
Error damaged_in(Error error, std::string_view record, std::string_view field = {});

std::unexpected<Error> unknown_source(const OwnerCatalog& catalog, std::string_view key);                // kNotFound
std::unexpected<Error> unknown_connection(const OwnerCatalog& catalog, std::string_view connection_id);  // kConnectionNotFound
std::unexpected<Error> unknown_stream(const SourceEntry& source, std::string_view stream);               // kStreamNotDeclared
// Returns an error with that code if the connection is being erased: its streams are gone, although its source still
// declares them.
Status check_not_erasing(const ConnectionEntry& connection, Code code);

}  // namespace ladder::server
