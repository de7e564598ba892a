// An owner's sources, connections and streams, parsed and indexed; immutable, shared, replaced when the store's catalog version
// moves on. Reads never parse a declaration.
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
  std::map<std::string_view, const model::Stream*> streams = {};  // of the declaration, by name
};

struct FieldIndex {
  store::IndexNo no = 0;
  store::IndexKind kind = store::IndexKind::kText;
};
using FieldIndexes = std::map<std::string, FieldIndex, std::less<>>;  // by field; those that are ready

// A field whose words are found (store/word_search.h).
struct WordField {
  int column = 0;
  bool ready = false;  // every record's words are
};
using WordFields = std::map<std::string, WordField, std::less<>>;  // by field

struct ConnectionEntry {
  store::ConnectionRow row;
  const SourceEntry* source = nullptr;
  std::map<std::string, store::StreamNo, std::less<>> streams;
  std::map<store::StreamNo, FieldIndexes> indexes;
  std::map<store::StreamNo, WordFields> word_fields;

  // The owner's label, or empty when it is blank or says nothing beyond the ids (PDPP "identity").
  std::string display_name() const;
};

// One stream of one connection.
struct StreamPlace {
  store::StreamNo no = 0;
  const ConnectionEntry* connection = nullptr;
  const model::Stream* declared = nullptr;
  const std::map<store::FieldNo, std::string>* field_names = nullptr;

  const FieldIndex* index(std::string_view field) const;  // null when there is none, or not yet
  const WordFields& word_fields() const;                  // ready or not
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
  // The stream in that connection; nullopt when the declaration has none of that name.
  std::optional<StreamPlace> place(const ConnectionEntry& connection, std::string_view stream) const;
  // Declared field names of a source's stream and their numbers.
  std::map<std::string, store::FieldNo, std::less<>> field_numbers(const SourceEntry& source, std::string_view stream) const;

 private:
  std::int64_t version_ = 0;
  std::vector<std::unique_ptr<SourceEntry>> sources_;
  std::vector<std::unique_ptr<ConnectionEntry>> connections_;
  std::map<std::string, const ConnectionEntry*, std::less<>> by_connection_id_;
  std::vector<store::FieldRow> fields_;
  std::map<store::FieldNo, std::string> field_names_;
};

// The catalogs of a process, one per owner. Safe from any thread.
class CatalogCache {
 public:
  explicit CatalogCache(store::Store& store) : store_(store) {}
  Result<std::shared_ptr<const OwnerCatalog>> get(store::OwnerNo owner);
  // Loads anew; called when a read saw another version than the cached one.
  Result<std::shared_ptr<const OwnerCatalog>> refresh(store::OwnerNo owner);
  // The one of the store's current version; for operations that read no rows in whose view the version would come along.
  Result<std::shared_ptr<const OwnerCatalog>> newest(store::OwnerNo owner);

 private:
  store::Store& store_;
  Mutex mutex_;
  std::map<store::OwnerNo, std::shared_ptr<const OwnerCatalog>> cached_ LADDER_GUARDED_BY(mutex_);
};

// Words errors for the owner about a name that is not in the catalog: the name, and those that are. For owner operations only; a
// client is never told what exists beside its grants (design D5).

// "a", "b", "c" and 7 more; `none` when there are none.
std::string listed(const std::vector<std::string>& names, std::string_view none);

// kDamagedData with the record, and the field if it is known, that the caller asked for or may hear of.
Error damaged_in(Error error, std::string_view record, std::string_view field = {});

std::unexpected<Error> unknown_source(const OwnerCatalog& catalog, std::string_view key);                // kNotFound
std::unexpected<Error> unknown_connection(const OwnerCatalog& catalog, std::string_view connection_id);  // kConnectionNotFound
std::unexpected<Error> unknown_stream(const SourceEntry& source, std::string_view stream);               // kStreamNotDeclared
// An error of that code when the erasure of the connection has begun: it has no streams any more, though its source declares
// them.
Status check_not_erasing(const ConnectionEntry& connection, Code code);

}  // namespace ladder::server
