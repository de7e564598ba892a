#include "pages/ledger_download.h"

#include "base/text/format.h"
#include "server/ledger/entry_text.h"

namespace ladder::pages {
namespace {

constexpr std::int64_t kPageEntries = 1'000;

class LedgerStream final : public http::BodyStream {
 public:
  LedgerStream(server::OwnerLedger& ledger, server::Access owner, server::LedgerQuery query, LedgerFormat form,
               LedgerFilter filter)
      : ledger_(ledger), owner_(std::move(owner)), query_(std::move(query)), form_(form), filter_(std::move(filter)) {
    query_.limit = kPageEntries;
  }

  // A page without matches yields an empty piece, and the caller requests the next one.
  Result<bool> next(std::string& piece) override {
    piece.clear();
    if (done_) return false;
    if (!begun_ && form_ == LedgerFormat::kCsv) piece = server::ledger_csv_head();
    begun_ = true;
    LADDER_TRY(const auto page, ledger_.page(owner_, query_));
    for (const server::LedgerEntry& entry : page.entries) {
      bool belongs = true;
      if (filter_) {
        LADDER_TRY(belongs, filter_(entry));
      }
      if (belongs) piece += form_ == LedgerFormat::kCsv ? server::ledger_csv_rows(entry) : server::ledger_line(entry);
    }
    query_.cursor = page.next_cursor;
    done_ = page.next_cursor.empty();
    return true;
  }

 private:
  server::OwnerLedger& ledger_;
  server::Access owner_;
  server::LedgerQuery query_;
  LedgerFormat form_;
  LedgerFilter filter_;
  bool begun_ = false, done_ = false;
};

}  // namespace

http::Response ledger_download(server::OwnerLedger& ledger, const server::Access& owner, const server::LedgerQuery& query,
                               LedgerFormat form, LedgerFilter filter) {
  const bool csv = form == LedgerFormat::kCsv;
  http::Response response;
  response.headers.set("Content-Type", csv ? "text/csv; charset=utf-8" : "application/x-ndjson");
  response.headers.set("Content-Disposition", format("attachment; filename=\"ladder-ledger.{}\"", csv ? "csv" : "ndjson"));
  response.headers.set("Cache-Control", "no-store");
  response.headers.set("X-Content-Type-Options", "nosniff");
  response.stream = std::make_unique<LedgerStream>(ledger, owner, query, form, std::move(filter));
  return response;
}

}  // namespace ladder::pages
