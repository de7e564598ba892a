// Counting outcomes, listing rejections, and the receipt as JSON.
#include "rs/ingest_ledger.h"

#include "base/bytes.h"
#include "base/format.h"
#include "json/writer.h"

#include <algorithm>

namespace ladder::rs {
namespace {

constexpr std::string_view kReceiptVersion = "record-rejection-v2";

}  // namespace

std::string receipt_id(std::string_view owner, std::string_view connection_id, std::string_view stream,
                       const store::Digest& line_digest, std::string_view code) {
  json::Writer out;
  out.begin_array().string(owner).string(connection_id).string(stream);
  out.string(to_hex(crypto::view(line_digest))).string(code).string(kReceiptVersion).end_array();
  return to_hex(crypto::view(crypto::sha256(out.text())));
}

IngestLedger::IngestLedger(std::string owner, const IngestTarget& target, IngestObserver& observer)
    : owner_(std::move(owner)), connection_id_(target.connection_id), observer_(observer) {
  report_.stream = target.stream;
}

void IngestLedger::enter(Batch& batch, std::span<const store::Outcome> outcomes) {
  for (std::size_t index = 0; index < outcomes.size(); ++index) count(batch.origins()[index], outcomes[index], batch);
  auto& refused = batch.refused();
  std::ranges::stable_sort(refused, {}, [](const Refused& each) { return each.origin.line; });
  for (Refused& each : refused) {
    if (report_.rejections.size() == kMaxListedRejections) break;
    const std::string_view code = each.error.wire();
    report_.rejections.push_back({each.origin.input_index, each.origin.line, std::string(code), std::move(each.error.message),
                                  receipt_id(owner_, connection_id_, report_.stream, each.origin.digest, code)});
  }
  report_.rejected += static_cast<std::int64_t>(refused.size());
  report_.attempted += batch.lines();
  durable_line_ = batch.last_line();
  observer_.durable_through(durable_line_, report_);
}

void IngestLedger::count(const LineOrigin& origin, store::Outcome outcome, Batch& batch) {
  switch (outcome) {
    case store::Outcome::kAdded:
      ++report_.added;
      break;
    case store::Outcome::kChanged:
      ++report_.changed;
      break;
    case store::Outcome::kUnchanged:
      ++report_.unchanged;
      break;
    case store::Outcome::kDeleted:
      ++report_.deleted;
      break;
    case store::Outcome::kAbsent:
      ++report_.absent;
      break;
    case store::Outcome::kAppendOnly:
      // Its place in the batch is kept by the sort in enter(); the line itself was counted when it was kept.
      batch.refused().push_back({origin,
                                 {Code::kInvalidRecord,
                                  "append_only: the stream has a record of this key with other data, and what is there never "
                                  "changes; give new data a new key"}});
      return;
    case store::Outcome::kStagingLost:  // whoever wrote the batch has dealt with it
      return;
  }
  ++report_.accepted;
  report_.replaced_surrogates += origin.lone_surrogates;
}

Error IngestLedger::interrupted(Error error) const {
  error.message +=
      format("; {} lines are stored and {} rejected, through line {}: sending the same input again is safe and goes on there",
             report_.accepted, report_.rejected, durable_line_);
  return error;
}

std::string to_json(const IngestReport& report) {
  json::Writer out;
  out.begin_object().member("stream", report.stream);
  out.member("records_attempted", report.attempted).member("records_accepted", report.accepted);
  out.member("records_rejected", report.rejected).key("errors").begin_array().end_array().key("rejections").begin_array();
  for (const Rejection& rejection : report.rejections) {
    out.begin_object().member("input_index", rejection.input_index).member("line", rejection.line);
    out.member("code", rejection.code)
        .member("message", rejection.message)
        .member("receipt_id", rejection.receipt_id)
        .end_object();
  }
  out.end_array().member("added", report.added).member("changed", report.changed).member("unchanged", report.unchanged);
  out.member("deleted", report.deleted).member("absent", report.absent);
  out.member("replaced_surrogates", report.replaced_surrogates).end_object();
  return out.take();
}

}  // namespace ladder::rs
