#include "store/catalog/catalog_store.h"

namespace ladder::store {
namespace {

using sql::Bytes, sql::Row, sql::Rows, sql::Session, sql::Statement;

constexpr Statement kKeepNote{
    "INSERT INTO meta (key, value) VALUES ('note.' || $1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value"};
constexpr Statement kNote{"SELECT value FROM meta WHERE key = 'note.' || $1"};

}  // namespace

Status CatalogStore::keep_note(std::string_view name, std::string_view text) {
  return database_.write(0, {}, [&](Session& session) {
    session.add(kKeepNote, name, Bytes{text});
    return session.commit();
  });
}

Result<std::optional<std::string>> CatalogStore::note(std::string_view name) {
  return database_.read(0, [&](Session& session) -> Result<std::optional<std::string>> {
    LADDER_TRY(const Rows rows, session.run_last(kNote, name));
    return rows.first([](const Row& row) { return row.text(0); });
  });
}

}  // namespace ladder::store
