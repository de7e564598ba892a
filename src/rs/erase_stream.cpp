// Everything of one stream in one connection, erased for good: record by record as erase_record does it, in short transactions,
// so that nobody waits behind it.
#include "base/format.h"
#include "model/quote.h"
#include "rs/reach.h"
#include "rs/resource_server.h"

#include <algorithm>
#include <chrono>

namespace ladder::rs {
namespace {

constexpr std::int64_t kErasedAtOnce = 64;                  // well within the time a write transaction may take
constexpr auto kEraseSweepTime = std::chrono::seconds(10);  // what is left then goes with the next sweep

}  // namespace

// By key and never back: what a writer adds behind the place reached is of after the wipe, and a busy writer cannot make it
// endless.
Result<std::int64_t> ResourceServer::erase_stream(const Access& access, std::string_view connection_id, std::string_view stream,
                                                  std::stop_token stop) {
  const std::stop_token gone = std::move(stop);
  LADDER_CHECK(require_owner(access));
  LADDER_TRY(const auto catalog, catalogs_.newest(access.owner()));
  if (connection_id.empty()) {
    return fail(Code::kInvalidRequest, format("name the connection whose {} is to be erased", model::in_quotes(stream)),
                "connection_id");
  }
  LADDER_TRY(const Reach reached, reach(access, *catalog, {std::string(connection_id), {}}, stream));
  const StreamPlace& place = reached.places.front();
  std::int64_t erased = 0;
  for (std::string after;;) {
    if (gone.stop_requested()) {
      return fail(Code::kCancelled, format("stopped after {} records were erased; the same again goes on", erased));
    }
    std::vector<store::RecordWrite> batch;
    {
      LADDER_TRY(const auto reader, store_.read());  // given back before the write begins
      reader->show_damaged();
      LADDER_TRY(const auto page, reader->page_by_key(place.no, after, false, kErasedAtOnce));
      for (const store::RecordRow& row : page) {
        store::RecordWrite& erasure = batch.emplace_back();
        erasure.is_delete = true;
        erasure.key = row.key;
        erasure.emitted_at = format_time(clock_.now());
      }
    }
    if (batch.empty()) break;
    after = batch.back().key;
    LADDER_TRY(const auto outcomes, store_.write({place.no, false, {}}, batch, clock_.now()));
    erased += std::ranges::count(outcomes, store::Outcome::kDeleted);
  }
  LADDER_CHECK(store_.sweep(clock_.now(), Deadline::after(kEraseSweepTime)));
  return erased;
}

}  // namespace ladder::rs
