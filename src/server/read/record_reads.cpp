// Reads one record by id, or a page of a stream over all connections in scope, in one order with one cursor (design
// D14). The grant, fields and conditions are checked before the first row is read. Rows outside the grant's time
// range or records are skipped as if they did not exist.
#include "base/text/format.h"
#include "server/read/changes.h"
#include "server/read/expansion.h"
#include "server/read/list_walk.h"
#include "server/read/page_read.h"
#include "server/read/reads.h"

#include <algorithm>

namespace ladder::server {
namespace {

constexpr std::string_view kPartialResults = "partial_results";

constexpr std::int64_t kMaxScannedRecords = 100'000;  // visible records scanned for a page or count before it is cut short
constexpr std::int64_t kRecordsPerCheck = 64;         // records between two clock checks

class RecordsRead final : public PageRead {
 public:
  RecordsRead(SharedState& shared, const Access& access, const api::RecordsRequest& request, std::stop_token stop)
      : PageRead(shared, access, request, std::move(stop), kMaxScannedRecords) {}

 private:
  Status aim(const OwnerCatalog& catalog) override;
  Result<std::optional<api::RecordsPage>> read(const OwnerCatalog& catalog) override;
  Result<bool> fill(store::Reader& reader, api::RecordsPage& page);  // false: data changed during the read
  Status measure(store::Reader& reader, api::RecordsPage& page);
  void end_page(api::RecordsPage& page) const;

  RecordFilter filter_;
  Expander expander_;
  WalkOrder order_;
  std::string binding_;
  std::optional<ListPosition> from_;
  std::vector<ListPosition> positions_;  // of the page's records, if it may end early
};

Status RecordsRead::aim(const OwnerCatalog& catalog) {
  LADDER_CHECK(check_bounds(request_.max_field_chars, request_.max_bytes));
  LADDER_TRY(read_scope_, read_scope(access_, catalog, request_.scope, request_.stream));
  const model::Stream& declared = *read_scope_.streams.front().declared;
  if (!request_.sort_field.empty() && request_.sort_field != declared.cursor_field) {
    return fail(Code::kInvalidSort,
                declared.cursor_field.empty()
                    ? format("stream \"{}\" has no cursor field to sort by", declared.name)
                    : format("stream \"{}\" can be sorted by \"{}\" only", declared.name, declared.cursor_field),
                "sort");
  }
  LADDER_TRY(projection_, choose_fields(read_scope_, declared, request_.fields, request_.view));
  LADDER_TRY(filter_, RecordFilter::compile(declared, read_scope_.granted, request_.filters));
  LADDER_TRY(expander_, Expander::compile(access_, catalog, read_scope_, request_.expand, request_.expand_limits));
  order_.descending = request_.descending && !request_.undated;
  // A hidden cursor value must not be inferable from the order.
  order_.by_key =
      declared.cursor_field.empty() || (read_scope_.granted && !read_scope_.granted->allows_field(declared.cursor_field));
  binding_ = list_binding({read_scope_.held ? read_scope_.held->grant.grant_id : "", request_.stream,
                           request_.scope.connection_id, request_.scope.connector_key,
                           order_.descending  ? "desc"
                           : request_.undated ? "undated"
                                              : "asc",
                           order_.by_key ? "key" : "cursor", filter_.fingerprint()});
  if (request_.undated && order_.by_key) {
    return fail(Code::kInvalidSort, format("the records of stream \"{}\" have no time that this reader can see", declared.name),
                "sort");
  }
  from_ = request_.undated ? std::optional(before_undated()) : std::nullopt;
  if (!request_.cursor.empty()) {
    LADDER_TRY(from_, open_position(shared_.sealer, binding_, request_.cursor));
  }
  return {};
}

Result<std::optional<api::RecordsPage>> RecordsRead::read(const OwnerCatalog& catalog) {
  LADDER_TRY(const auto reader, open_reader(shared_.store, shared_.clock, access_, read_scope_, catalog));
  if (!reader) return std::nullopt;
  api::RecordsPage page;
  warn_of_clamp(request_.limit, page.warnings);
  LADDER_TRY(const bool whole, fill(*reader, page));
  if (!whole) return std::nullopt;
  LADDER_CHECK(measure(*reader, page));
  end_page(page);
  if (request_.budget) request_.budget->trim_records(page);
  return page;
}

Result<bool> RecordsRead::fill(store::Reader& reader, api::RecordsPage& page) {
  const std::int64_t limit = page_limit(request_.limit);
  const std::int64_t max_bytes = page_bytes();
  LADDER_TRY(auto walk, ListWalk::start(reader, read_scope_, filter_, order_, limit + 1, from_));
  const bool limited = walk.looks_at_everything() && !filter_.empty();
  const CutRules rules{request_.max_field_chars, max_bytes};
  std::int64_t bytes = 0, scanned = 0, steps = 0;
  std::optional<ListPosition> last;
  positions_.clear();
  const auto ends_here = [&] {
    page.has_more = true;
    page.next_cursor = seal_position(shared_.sealer, binding_, *last);
  };
  while (true) {
    LADDER_TRY(auto walked, walk.next());
    if (!walked) return true;
    if (++steps % kRecordsPerCheck == 0) LADDER_CHECK(bounds_.check());
    if (!is_visible(read_scope_, walked->row)) continue;
    if (!filter_.matches(json::value_of(walked->row.body))) {
      // If matches are far apart, a page may end between them; the cursor continues after the last record scanned.
      if (!limited || ++scanned < kMaxScannedRecords) continue;
      last = walk.position_of(*walked);
      ends_here();
      page.warnings.push_back(
          {std::string(kPartialResults),
           format("the page ends after {} records that do not match; go on with next_cursor", kMaxScannedRecords),
           "filter",
           {}});
      return true;
    }
    if (std::ssize(page.records) == limit) {
      ends_here();
      return true;
    }
    const ConnectionStream& place = read_scope_.streams[walked->place];
    LADDER_TRY(auto projected, project(reader, walked->row, projection_, rules));
    if (!projected) return false;
    bytes += std::ssize(projected->data);
    if (bytes > max_bytes && !page.records.empty()) {
      ends_here();
      return true;
    }
    last = walk.position_of(*walked);
    if (request_.budget) positions_.push_back(*last);
    page.records.push_back(to_record(read_scope_, place, walked->row, *std::move(projected)));
    LADDER_TRY(const bool whole, expander_.expand(reader, walked->row, rules, page.records.back()));
    if (!whole) return false;
  }
}

// Truncates the page to what the caller has room for.
void RecordsRead::end_page(api::RecordsPage& page) const {
  const std::size_t kept = api::records_to_keep(request_.budget, page);
  if (kept == page.records.size()) return;
  page.records.resize(kept);
  page.has_more = true;
  page.next_cursor = seal_position(shared_.sealer, binding_, positions_[kept - 1]);
  std::erase_if(page.warnings, [](const api::Warning& warning) { return warning.code == kPartialResults; });
}

// Computes meta.count and meta.window. If that would scan too many records, the page is returned with a warning
// instead.
Status RecordsRead::measure(store::Reader& reader, api::RecordsPage& page) {
  if (request_.count == api::CountKind::kNone && !request_.window) return {};
  const auto count = count_matches(reader, read_scope_, filter_, bounds_);
  if (!count && count.error().code == Code::kResourceLimit) {
    page.warnings.push_back({"count_downgraded", count.error().message, request_.window ? "window" : "count", {}});
    return {};
  }
  if (!count) return std::unexpected(count.error());
  if (request_.count != api::CountKind::kNone) page.count = {api::CountKind::kExact, *count};
  if (!request_.window) return {};
  LADDER_TRY(const auto ends, time_ends(reader, read_scope_, filter_, bounds_));
  api::CorpusWindow& window = page.window.emplace();
  window.total = *count;
  if (ends && ends->earliest) window.earliest_at = format_time(*ends->earliest);
  if (ends && ends->latest) window.latest_at = format_time(*ends->latest);
  return {};
}

}  // namespace

Result<api::RecordsPage> Reads::records(const Access& access, const api::RecordsRequest& request, std::stop_token stop) {
  if (is_changes_request(shared_.sealer, request)) return changes(access, request, stop);
  return RecordsRead(shared_, access, request, std::move(stop)).page("records");
}

Result<api::Record> Reads::record(const Access& access, const api::RecordRequest& request) {
  ReadScope reached;
  Projection projection;
  Expander expander;
  const auto aim = [&](const OwnerCatalog& catalog) -> Status {
    LADDER_CHECK(check_bounds(request.max_field_chars, request.max_bytes));
    LADDER_TRY(reached,
               read_scope(access, catalog, {request.record.connection_id, request.connector_key}, request.record.stream));
    LADDER_TRY(projection, choose_fields(reached, *reached.streams.front().declared, request.fields, request.view));
    LADDER_TRY(expander, Expander::compile(access, catalog, reached, request.expand, request.expand_limits));
    return {};
  };
  const auto read = [&](const OwnerCatalog& catalog) -> Result<std::optional<api::Record>> {
    std::vector<store::StreamNo> streams;
    streams.reserve(reached.streams.size());
    for (const ConnectionStream& place : reached.streams) streams.push_back(place.no);
    LADDER_TRY(auto reader, shared_.store.read(access.owner()));
    reader->show_damaged();  // damage is reported later, when the field is known
    LADDER_TRY(const auto found, reader->records(reached.guard(access), streams, request.record.record_id));
    LADDER_CHECK(check_access_status(access, reached.held.get(), found.access_status, shared_.clock.now()));
    if (found.access_status.catalog_version != catalog.version()) return std::nullopt;
    LADDER_TRY(const PickedRecord picked, pick_record(reached, found.records, request.record));
    if (picked.row->damaged) {
      return std::unexpected(damaged_in(store::damaged_record(picked.row->no), request.record.record_id));
    }
    const CutRules rules{request.max_field_chars, std::min(request.max_bytes.value_or(kMaxRecordBytes), kMaxRecordBytes)};
    auto read_fields = project(*reader, *picked.row, projection, rules);
    if (!read_fields && read_fields.error().code == Code::kDamagedData) {
      const std::string field = read_fields.error().details().field_path;
      return std::unexpected(damaged_in(std::move(read_fields).error(), request.record.record_id, field));
    }
    if (!read_fields) return std::unexpected(std::move(read_fields).error());
    std::optional<ProjectedRecord> projected = *std::move(read_fields);
    if (!projected) return std::nullopt;
    api::Record record = to_record(reached, *picked.place, *picked.row, *std::move(projected));
    LADDER_TRY(const bool whole, expander.expand(*reader, *picked.row, rules, record));
    if (!whole) return std::nullopt;
    return record;
  };
  return attempt<api::Record>(
      shared_, access, aim, read, [&] { return reached.held.get(); }, [](const api::Record& answer) { return disclose(answer); });
}

}  // namespace ladder::server
