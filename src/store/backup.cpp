#include "store/backup.h"

#include "base/text/format.h"
#include "store/postgres/upkeep/backup.h"
#include "store/sqlite/upkeep/backup.h"
#include "store/store.h"

namespace ladder::store {

Result<BackupFacts> back_up(const std::string& location, const TakeChunk& take) {
  return is_postgres_address(location) ? postgres::back_up(location, take) : sqlite::back_up(location, take);
}

Status restore(const std::string& location, const Restoration& from, Instant now) {
  const std::string_view engine = is_postgres_address(location) ? "postgres" : "sqlite";
  if (from.facts.engine != engine) {
    return fail(Code::kInvalidRequest,
                format("this is a backup of a store on {}, and --db names one on {}: restore it on {}, then `ladder export` and "
                       "`ladder import` bring it to the other",
                       from.facts.engine, engine, from.facts.engine),
                "db");
  }
  return engine == "postgres" ? postgres::restore(location, from, now) : sqlite::restore(location, from, now);
}

}  // namespace ladder::store
