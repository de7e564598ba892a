// Records under an Access: one by its id, or a page of a stream over all the connections that the request reaches, in one order
// with one cursor (design D14). Grant, fields and conditions are checked before the first row is read; rows outside the grant's
// time range or records are passed over as if they were not there.
#include "base/format.h"
#include "base/limits.h"
#include "rs/attempt.h"
#include "rs/filter.h"
#include "rs/list_walk.h"
#include "rs/projection.h"
#include "rs/resource_server.h"

#include <algorithm>

namespace ladder::rs {
namespace {

constexpr std::int64_t kDefaultLimit = 25;
constexpr std::int64_t kMaxLimit = 100;
constexpr std::int64_t kMaxScannedRecords = 100'000;        // rows that a page or a count looks at before it says so
constexpr std::int64_t kMaxPageBytes = 16 * 1024 * 1024;    // of `data`; a page that would be larger ends early
constexpr std::int64_t kMaxRecordBytes = 64 * 1024 * 1024;  // of a single record; longer values are cut and listed

// The names to show: what was asked for, or all that is granted.
Result<Projection> choose_fields(const Reach& reach, const model::Stream& declared, std::vector<std::string> fields,
                                 const std::string& view) {
  if (!view.empty()) {
    if (!fields.empty()) return fail(Code::kInvalidRequest, "give fields or a view, not both", "view");
    const model::View* named = declared.view(view);
    if (!named) return fail(Code::kInvalidRequest, format("stream \"{}\" declares no view \"{}\"", declared.name, view), "view");
    fields = named->fields;
  }
  Projection projection;
  if (fields.empty()) {
    projection.everything = !reach.granted;
    if (reach.granted) projection.fields.insert(reach.granted->fields.begin(), reach.granted->fields.end());
    return projection;
  }
  for (std::string& field : fields) {
    if (reach.granted) {
      LADDER_CHECK(grant::check_field(*reach.granted, declared, field));
    } else if (!declared.field(field)) {
      return fail(Code::kUnknownField, format("stream \"{}\" declares no field \"{}\"", declared.name, field), "fields");
    }
    projection.fields.insert(std::move(field));
  }
  return projection;
}

Status check_bounds(std::optional<std::int64_t> max_field_chars, std::optional<std::int64_t> max_bytes) {
  if (max_field_chars && *max_field_chars < 0)
    return fail(Code::kInvalidRequest, "max_field_chars is 0 or more", "max_field_chars");
  if (max_bytes && *max_bytes < 1) return fail(Code::kInvalidRequest, "max_bytes is 1 or more", "max_bytes");
  return {};
}

port::Record to_record(const StreamPlace& place, const store::RecordRow& row, ProjectedRecord projected) {
  port::Record record;
  record.ref = {place.connection->row.connection_id, place.declared->name, row.key};
  record.connector_key = place.connection->source->row.key;
  record.display_name = place.connection->display_name();
  record.data = std::move(projected.data);
  record.cut = std::move(projected.cut);
  record.emitted_at = row.emitted_at;
  return record;
}

// One page on its way through the checks.
class PageRead {
 public:
  PageRead(store::Store& store, const Clock& clock, const crypto::Sealer& sealer, const Access& access,
           const port::RecordsRequest& request)
      : store_(store), clock_(clock), sealer_(sealer), access_(access), request_(request) {}

  Status aim(const OwnerCatalog& catalog);
  Result<std::optional<port::RecordsPage>> read(const OwnerCatalog& catalog);

 private:
  Result<bool> fill(store::Reader& reader, port::RecordsPage& page);  // false: something moved underneath
  Status count(store::Reader& reader, port::RecordsPage& page);
  bool narrowed() const;  // by the grant: counters then count too much

  store::Store& store_;
  const Clock& clock_;
  const crypto::Sealer& sealer_;
  const Access& access_;
  const port::RecordsRequest& request_;

  Reach reach_;
  Projection projection_;
  RecordFilter filter_;
  WalkOrder order_;
  std::string binding_;
  std::optional<ListPosition> from_;
};

Status PageRead::aim(const OwnerCatalog& catalog) {
  LADDER_CHECK(check_bounds(request_.max_field_chars, request_.max_bytes));
  LADDER_TRY(reach_, reach(access_, catalog, request_.scope.connection_id, request_.stream));
  const model::Stream& declared = *reach_.places.front().declared;
  if (!request_.sort_field.empty() && request_.sort_field != declared.cursor_field) {
    return fail(Code::kInvalidSort,
                declared.cursor_field.empty()
                    ? format("stream \"{}\" has no cursor field to sort by", declared.name)
                    : format("stream \"{}\" can be sorted by \"{}\" only", declared.name, declared.cursor_field),
                "sort");
  }
  LADDER_TRY(projection_, choose_fields(reach_, declared, request_.fields, request_.view));
  LADDER_TRY(filter_, RecordFilter::compile(declared, reach_.granted, request_.filters));
  order_.descending = request_.descending;
  // A hidden cursor value must not be felt in the order.
  order_.by_key = declared.cursor_field.empty() || (reach_.granted && !reach_.granted->allows_field(declared.cursor_field));
  binding_ = list_binding({reach_.held ? reach_.held->grant.grant_id : "", request_.stream, request_.scope.connection_id,
                           order_.descending ? "desc" : "asc", order_.by_key ? "key" : "cursor", filter_.fingerprint()});
  from_.reset();
  if (!request_.cursor.empty()) {
    LADDER_TRY(from_, open_position(sealer_, binding_, request_.cursor));
  }
  return {};
}

Result<std::optional<port::RecordsPage>> PageRead::read(const OwnerCatalog& catalog) {
  LADDER_TRY(auto reader, store_.read());
  LADDER_TRY(const auto found, reader->records(reach_.guard(access_), {}, ""));
  LADDER_CHECK(check_standing(access_, reach_.held.get(), found.standing, clock_.now()));
  if (found.standing.catalog_version != catalog.version()) return std::nullopt;
  port::RecordsPage page;
  if (request_.limit && *request_.limit > kMaxLimit) {
    page.warnings.push_back({"limit_clamped", format("limit is at most {}", kMaxLimit), "limit",
                             format("{{\"max_limit\":{},\"requested_limit\":{}}}", kMaxLimit, *request_.limit)});
  }
  LADDER_TRY(const bool whole, fill(*reader, page));
  if (!whole) return std::nullopt;
  LADDER_CHECK(count(*reader, page));
  return page;
}

Result<bool> PageRead::fill(store::Reader& reader, port::RecordsPage& page) {
  const std::int64_t limit = std::clamp<std::int64_t>(request_.limit.value_or(kDefaultLimit), 1, kMaxLimit);
  const std::int64_t page_bytes = std::min(request_.max_bytes.value_or(kMaxPageBytes), kMaxPageBytes);
  LADDER_TRY(auto walk, ListWalk::start(reader, reach_.places, order_, limit + 1, from_));
  std::int64_t bytes = 0, scanned = 0;
  std::optional<ListPosition> last;
  const auto ends_here = [&] {
    page.has_more = true;
    page.next_cursor = seal_position(sealer_, binding_, *last);
  };
  while (true) {
    LADDER_TRY(auto walked, walk.next());
    if (!walked) return true;
    const bool shown = is_visible(reach_, walked->row) && filter_.matches(json::value_of(walked->row.body));
    if (!shown) {
      // A page may end between two matches when they lie far apart; the cursor goes on behind the last row looked at.
      if (++scanned < kMaxScannedRecords) continue;
      last = walk.position_of(*walked);
      ends_here();
      page.warnings.push_back(
          {"partial_results",
           format("the page ends after {} records that do not match; go on with next_cursor", kMaxScannedRecords),
           "filter",
           {}});
      return true;
    }
    if (std::ssize(page.records) == limit) {
      ends_here();
      return true;
    }
    const StreamPlace& place = reach_.places[walked->place];
    LADDER_TRY(auto projected, project(reader, walked->row, projection_, {request_.max_field_chars, page_bytes}));
    if (!projected) return false;
    bytes += std::ssize(projected->data);
    if (bytes > page_bytes && !page.records.empty()) {
      ends_here();
      return true;
    }
    last = walk.position_of(*walked);
    page.records.push_back(to_record(place, walked->row, *std::move(projected)));
  }
}

bool PageRead::narrowed() const { return reach_.granted && (reach_.granted->time || !reach_.granted->resources.empty()); }

Status PageRead::count(store::Reader& reader, port::RecordsPage& page) {
  if (request_.count == port::CountKind::kNone) return {};
  page.count.kind = port::CountKind::kExact;
  if (!narrowed() && filter_.empty()) {
    for (const StreamPlace& place : reach_.places) {
      LADDER_TRY(const auto counters, reader.counters(place.no));
      page.count.value += counters.records;
    }
    return {};
  }
  LADDER_TRY(auto walk, ListWalk::start(reader, reach_.places, order_, 1'000, std::nullopt));
  for (std::int64_t looked_at = 0;; ++looked_at) {
    LADDER_TRY(const auto walked, walk.next());
    if (!walked) return {};
    if (looked_at >= kMaxScannedRecords) break;
    if (is_visible(reach_, walked->row) && filter_.matches(json::value_of(walked->row.body))) ++page.count.value;
  }
  page.count = {};
  page.warnings.push_back(
      {"count_downgraded", format("more than {} records would have to be looked at to count", kMaxScannedRecords), "count", {}});
  return {};
}

}  // namespace

Result<port::RecordsPage> ResourceServer::records(const Access& access, const port::RecordsRequest& request) {
  PageRead read(store_, clock_, sealer_, access, request);
  return attempt<port::RecordsPage>(
      store_, clock_, catalogs_, access, [&](const OwnerCatalog& catalog) { return read.aim(catalog); },
      [&](const OwnerCatalog& catalog) { return read.read(catalog); });
}

Result<port::Record> ResourceServer::record(const Access& access, const port::RecordRequest& request) {
  Reach reached;
  Projection projection;
  const auto aim = [&](const OwnerCatalog& catalog) -> Status {
    LADDER_CHECK(check_bounds(request.max_field_chars, request.max_bytes));
    LADDER_TRY(reached, reach(access, catalog, request.record.connection_id, request.record.stream));
    LADDER_TRY(projection, choose_fields(reached, *reached.places.front().declared, request.fields, request.view));
    return {};
  };
  const auto read = [&](const OwnerCatalog& catalog) -> Result<std::optional<port::Record>> {
    std::vector<store::StreamNo> streams;
    for (const StreamPlace& place : reached.places) streams.push_back(place.no);
    LADDER_TRY(auto reader, store_.read());
    LADDER_TRY(const auto found, reader->records(reached.guard(access), streams, request.record.record_id));
    LADDER_CHECK(check_standing(access, reached.held.get(), found.standing, clock_.now()));
    if (found.standing.catalog_version != catalog.version()) return std::nullopt;
    LADDER_TRY(const PickedRecord picked, pick_record(reached, found.records, request.record));
    const CutRules rules{request.max_field_chars, std::min(request.max_bytes.value_or(kMaxRecordBytes), kMaxRecordBytes)};
    LADDER_TRY(auto projected, project(*reader, *picked.row, projection, rules));
    if (!projected) return std::nullopt;
    return to_record(*picked.place, *picked.row, *std::move(projected));
  };
  return attempt<port::Record>(store_, clock_, catalogs_, access, aim, read);
}

}  // namespace ladder::rs
