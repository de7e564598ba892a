// The honest account of an import: per stream what was read and what became of it, and every loss by file and position. Kept in
// the store as JSON, one per unit.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "import/wire/messages.h"
#include "json/writer.h"
#include "server/ingest/ingest.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

struct StreamAccount {
  std::int64_t read = 0, added = 0, changed = 0, unchanged = 0, rejected = 0;
  std::map<std::string, std::int64_t> skipped;  // reason → how often
  std::optional<Instant> first, last;           // the period covered

  void count_time(Instant time);
  void add(const StreamAccount& other);
};

struct UnitAccount {
  // The account stays within these, whatever is told: the rest is counted.
  static constexpr std::size_t kListedLosses = 1000;
  static constexpr std::size_t kListedLossBytes = 2 * 1024 * 1024;
  static constexpr std::size_t kListedReasons = 256;  // for skipping, over all streams
  static constexpr std::size_t kReasonBytes = 512;
  static constexpr const char* kOtherReasons = "for other reasons";

  std::string what, file, fingerprint;
  std::string folder;  // that the connection is called after; "" when it is called after something else
  std::map<std::string, StreamAccount> streams;
  std::vector<imports::wire::Loss> losses;  // unparsed and rejected, the first of them
  std::int64_t lost = 0;                    // all of them
  std::size_t loss_bytes = 0;               // of the names and reasons that are listed
  std::string broken_off;                   // why not all of it was read; "" when it was
  std::string position;                     // where to go on; "" when it is complete
  std::int64_t bytes = 0;                   // of the files, that were read up to there
  Instant at = 0;                           // when it was written down
  // Records that were stored beyond the position: the next run reads them again, and counts them once.
  std::map<std::string, std::int64_t> ahead;

  void lose(imports::wire::Loss loss);
  void skip(const std::string& stream, std::string_view reason);
  bool complete() const { return position.empty() && broken_off.empty(); }
};

std::string to_json(const UnitAccount& account);
void write(json::Writer& out, const UnitAccount& account);
Result<UnitAccount> read_account(std::string_view json);

// Lines for people, two spaces in: one per stream, then the losses.
std::string account_text(const UnitAccount& account, std::size_t shown_losses);

}  // namespace ladder::cli
