// The report of an import: what was read per stream, what became of it, and every loss with file and position. The store keeps
// one per unit, as JSON.
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

namespace ladder::app {

// Returns false for a stream whose records say something about others, such as the folders of messages. They are not counted for
// people: 100 messages are 100 new records, not 200.
bool is_counted(std::string_view stream);

struct StreamAccount {
  std::int64_t read = 0, added = 0, changed = 0, unchanged = 0, rejected = 0;
  std::int64_t erased = 0;                      // left out, because the owner erased them
  std::map<std::string, std::int64_t> skipped;  // reason → count
  std::optional<Instant> first, last;           // the period covered

  void count_time(Instant time);
  void add(const StreamAccount& other);
};

struct UnitAccount {
  // Limits of the report, for any input from the child. Anything beyond them is only counted.
  static constexpr std::size_t kListedLosses = 1000;
  static constexpr std::size_t kListedLossBytes = 2 * 1024 * 1024;
  static constexpr std::size_t kListedReasons = 256;  // skip reasons over all streams
  static constexpr std::size_t kReasonBytes = 512;
  static constexpr const char* kOtherReasons = "for other reasons";

  std::string what, file, fingerprint;
  std::string synced_by;  // the name of the synced source that read it; "" for an import
  std::string folder;     // the folder that names the connection; "" if another name is used
  std::map<std::string, StreamAccount> streams;
  std::vector<imports::wire::Loss> losses;  // unparsed and rejected records, the first of them
  std::int64_t lost = 0;                    // the count of all losses
  std::size_t loss_bytes = 0;               // bytes of the listed names and reasons
  std::string broken_off;                   // why the unit was not read to the end; "" if it was
  std::string position;                     // where to resume; "" if it is complete
  // Identifies the files, the declaration and the reader of a complete unit. A unit with the same inputs is not read again.
  std::string inputs;
  bool was_unchanged = false;  // in this run: the inputs were the same
  std::int64_t bytes = 0;      // file bytes read up to the position
  Instant at = 0;              // when the report was saved
  // Records stored beyond the position: the next run reads them again and counts them once.
  std::map<std::string, std::int64_t> ahead;

  void add(UnitAccount run);  // the streams and losses of another run
  void lose(imports::wire::Loss loss);
  void skip(const std::string& stream, std::string_view reason);
  bool complete() const { return position.empty() && broken_off.empty(); }
  StreamAccount total() const;   // of the counted streams, without skipped items
  bool is_empty_handed() const;  // it was read to the end, and its files contain things, but gave no record
};

std::string to_json(const UnitAccount& account);
void write(json::Writer& out, const UnitAccount& account);
Result<UnitAccount> read_account(std::string_view json);

// Returns indented lines for people: one per stream, then the losses.
std::string account_text(const UnitAccount& account, std::size_t shown_losses);

}  // namespace ladder::app
