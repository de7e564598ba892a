#include "store/engines/backup.h"

#include "base/text/bytes.h"
#include "base/text/format.h"
#include "store/engines/open_store.h"
#include "store/postgres/upkeep/backup.h"
#include "store/sqlite/upkeep/backup.h"

namespace ladder::store {
namespace {

constexpr std::string_view kBackupNote = "backup";

}  // namespace

Result<BackupInfo> back_up(const std::string& location, const TakeChunk& take) {
  return is_postgres_address(location) ? postgres::back_up(location, take) : sqlite::back_up(location, take);
}

Status record_backup(const std::string& location, const BackupNote& note) {
  LADDER_TRY(const auto store, open_store(location, OpenMode::kExisting));
  std::string text;
  put_varint(text, static_cast<std::uint64_t>(note.made_at));
  put_varint(text, static_cast<std::uint64_t>(note.bytes));
  put_varint(text, note.encrypted ? 1 : 0);
  put_sized(text, note.target);
  return store->keep_note(kBackupNote, text);
}

Result<std::optional<BackupNote>> last_backup(Store& store) {
  LADDER_TRY(const auto text, store.note(kBackupNote));
  if (!text) return std::nullopt;
  std::size_t at = 0;
  const auto made_at = get_varint(*text, at);
  const auto bytes = get_varint(*text, at);
  const auto encrypted = get_varint(*text, at);
  const auto target = get_sized(*text, at);
  if (!made_at || !bytes || !encrypted || !target) return std::nullopt;  // the next backup rewrites it
  return BackupNote{static_cast<Instant>(*made_at), std::string(*target), static_cast<std::int64_t>(*bytes), *encrypted != 0};
}

Status restore(const std::string& location, const RestoreSource& from, Instant now) {
  const std::string_view engine = is_postgres_address(location) ? "postgres" : "sqlite";
  if (from.info.engine != engine) {
    return fail(Code::kInvalidRequest,
                format("this is a backup of a store on {}, but --db is on {}: restore it on {}, then move the data with "
                       "`ladder export` and `ladder import`",
                       from.info.engine, engine, from.info.engine),
                "db");
  }
  return engine == "postgres" ? postgres::restore(location, from, now) : sqlite::restore(location, from, now);
}

}  // namespace ladder::store
