#include "rs/changes.h"

#include "base/format.h"
#include "base/limits.h"
#include "rs/attempt.h"
#include "rs/changes_token.h"
#include "rs/list_cursor.h"
#include "rs/match_scan.h"
#include "rs/page_limits.h"
#include "rs/record_view.h"
#include "rs/resource_server.h"
#include "store/field_versions.h"

#include <algorithm>

namespace ladder::rs {
namespace {

constexpr std::string_view kBeginning = "beginning";
constexpr std::int64_t kBatch = 100;  // log entries a round trip

bool was_visible(const grant::StreamGrant* granted, const store::ChangeRow& gone) {
  if (!granted) return true;
  if (!granted->resources.empty() && std::ranges::find(granted->resources, gone.key) == granted->resources.end()) return false;
  if (!granted->time) return true;
  if (!gone.consent_time) return false;
  return (!granted->time->since || *gone.consent_time >= *granted->time->since) &&
         (!granted->time->until || *gone.consent_time < *granted->time->until);
}

// Each with its length, so that no two sets look alike.
std::string joined(const std::set<std::string, std::less<>>& fields) {
  std::string text;
  for (const std::string& field : fields) text += format("{}:{},", field.size(), field);
  return text;
}

port::Record tombstone(const StreamPlace& place, const store::ChangeRow& gone) {
  store::RecordRow row;
  row.key = gone.key;
  port::Record record = to_record({}, place, row, {});
  record.deleted = true;
  record.deleted_at = record.emitted_at = format_time(gone.deleted_at.value_or(0));
  return record;
}

// One page of a session on its way through the checks.
class ChangesRead {
 public:
  ChangesRead(store::Store& store, const Clock& clock, const crypto::Sealer& sealer, const Access& access,
              const port::RecordsRequest& request, std::stop_token stop)
      : store_(store),
        clock_(clock),
        sealer_(sealer),
        access_(access),
        request_(request),
        bounds_{std::move(stop), access.deadline(limits::kScanDeadlineMs), 0} {}

  Status aim(const OwnerCatalog& catalog);
  Result<std::optional<port::RecordsPage>> read(const OwnerCatalog& catalog);
  const HeldGrant* held() const { return reach_.held.get(); }

 private:
  Status check_request() const;
  Status open_session();
  Status start_session(store::Reader& reader);  // the horizon of a session's first page
  Result<bool> fill(store::Reader& reader, port::RecordsPage& page);
  // The entry of one change; nullopt when it shows the caller nothing. False in `whole`: something moved underneath.
  Result<std::optional<port::Record>> entry(store::Reader& reader, const StreamPlace& place, const store::ChangeRow& change,
                                            bool& whole);

  store::Store& store_;
  const Clock& clock_;
  const crypto::Sealer& sealer_;
  const Access& access_;
  const port::RecordsRequest& request_;
  const ScanBounds bounds_;

  Reach reach_;
  Projection projection_;
  std::vector<store::FieldNo> fields_;
  std::string binding_;
  ChangesCursor at_;
  bool started_ = false;
};

Status ChangesRead::check_request() const {
  if (!request_.expand.empty() || !request_.expand_limits.empty()) {
    return fail(Code::kInvalidExpand, "changes are not expanded; read the related stream's changes", "expand");
  }
  const auto excluded = [](std::string_view name) {
    return fail(Code::kInvalidRequest, format("{} and changes_since exclude each other", name), std::string(name));
  };
  if (request_.count != port::CountKind::kNone) return excluded("count");
  if (request_.window) return excluded("window");
  if (!request_.sort_field.empty()) return excluded("sort");
  if (!request_.filters.empty()) return excluded("filter");
  if (request_.changes_since && !request_.cursor.empty()) return excluded("cursor");
  return check_bounds(request_.max_field_chars, request_.max_bytes);
}

Status ChangesRead::aim(const OwnerCatalog& catalog) {
  LADDER_CHECK(check_request());
  LADDER_TRY(reach_, reach(access_, catalog, request_.scope, request_.stream));
  const StreamPlace& place = reach_.places.front();
  LADDER_TRY(projection_, choose_fields(reach_, *place.declared, request_.fields, request_.view));
  fields_.clear();
  for (const auto& [name, number] : catalog.field_numbers(*place.connection->source, place.declared->name)) {
    if (projection_.shows(name)) fields_.push_back(number);
  }
  if (projection_.everything) fields_.push_back(store::kUndeclaredField);
  // A token tells what is known of the fields that were asked for; of others it tells nothing, so it is bound to them.
  binding_ = list_binding({"changes", reach_.held ? reach_.held->grant.grant_id : "", request_.stream,
                           request_.scope.connection_id, request_.scope.connector_key});
  if (!request_.fields.empty() || !request_.view.empty()) binding_ = list_binding({binding_, joined(projection_.fields)});
  return open_session();
}

Status ChangesRead::open_session() {
  at_ = {};
  started_ = !request_.cursor.empty();
  if (started_) {
    LADDER_TRY(at_, open_cursor(sealer_, binding_, request_.cursor));
  } else if (*request_.changes_since != kBeginning) {
    LADDER_TRY(at_.since, open_token(sealer_, binding_, *request_.changes_since));
  } else {
    at_.since.made_at = clock_.now();
  }
  if (clock_.now() - at_.since.made_at > limits::kTombstoneDays * kDay) {
    return fail(Code::kCursorExpired,
                format("deletions are told for {} days, and this token is older; start again with changes_since=beginning",
                       limits::kTombstoneDays),
                started_ ? "cursor" : "changes_since");
  }
  return {};
}

Status ChangesRead::start_session(store::Reader& reader) {
  at_.horizon = {clock_.now(), {}};
  for (const StreamPlace& place : reach_.places) {
    LADDER_TRY(const auto counters, reader.counters(place.no));
    at_.horizon.known[place.no] = counters.max_version;
  }
  at_.stream = reach_.places.front().no;
  return {};
}

Result<std::optional<port::RecordsPage>> ChangesRead::read(const OwnerCatalog& catalog) {
  LADDER_TRY(const auto reader, open_reader(store_, clock_, access_, reach_, catalog));
  if (!reader) return std::nullopt;
  if (!started_) LADDER_CHECK(start_session(*reader));
  port::RecordsPage page;
  warn_of_clamp(request_.limit, page.warnings);
  LADDER_TRY(const bool whole, fill(*reader, page));
  if (!whole) return std::nullopt;
  if (!page.has_more) {
    LADDER_TRY(page.next_changes_since, seal_token(sealer_, binding_, at_.horizon));
  }
  return page;
}

// Stream after stream, each in the order of its versions.
Result<bool> ChangesRead::fill(store::Reader& reader, port::RecordsPage& page) {
  const std::int64_t limit = page_limit(request_.limit);
  const std::int64_t page_bytes = std::min(request_.max_bytes.value_or(kMaxPageBytes), kMaxPageBytes);
  std::int64_t bytes = 0;
  // A connection that was erased in mid-session leaves no place to go on from: then everything is told once more.
  bool there = std::ranges::find(reach_.places, at_.stream, &StreamPlace::no) == reach_.places.end();
  for (const StreamPlace& place : reach_.places) {
    there = there || place.no == at_.stream;
    const auto horizon = at_.horizon.known.find(place.no);
    if (!there || horizon == at_.horizon.known.end()) continue;
    if (place.no != at_.stream) at_.after = 0;
    at_.stream = place.no;
    const auto known = at_.since.known.find(place.no);
    at_.after = std::max(at_.after, known == at_.since.known.end() ? 0 : known->second);
    for (bool more = true; more;) {
      LADDER_CHECK(bounds_.check());
      LADDER_TRY(const auto changes, reader.changes(place.no, fields_, at_.after, horizon->second, kBatch));
      more = std::ssize(changes) == kBatch;
      for (const store::ChangeRow& change : changes) {
        bool whole = true;
        LADDER_TRY(auto record, entry(reader, place, change, whole));
        if (!whole) return false;
        const std::int64_t size = record ? std::ssize(record->data) : 0;
        const bool full = std::ssize(page.records) == limit || (bytes + size > page_bytes && !page.records.empty());
        if (record && full) {
          page.has_more = true;
          LADDER_TRY(page.next_cursor, seal_cursor(sealer_, binding_, at_));
          return true;
        }
        at_.after = change.version;
        bytes += size;
        if (record) page.records.push_back(*std::move(record));
      }
    }
  }
  return true;
}

Result<std::optional<port::Record>> ChangesRead::entry(store::Reader& reader, const StreamPlace& place,
                                                       const store::ChangeRow& change, bool& whole) {
  if (change.deleted) {
    const auto known = at_.since.known.find(place.no);
    const bool was_there = known != at_.since.known.end() && change.created <= known->second;
    if (!was_there || !was_visible(reach_.granted, change)) return std::nullopt;
    return tombstone(place, change);
  }
  LADDER_TRY(const auto found, reader.records({}, std::span(&place.no, 1), change.key));
  if (found.records.empty() || !is_visible(reach_, found.records.front())) return std::nullopt;
  LADDER_TRY(auto projected,
             project(reader, found.records.front(), projection_,
                     {request_.max_field_chars, std::min(request_.max_bytes.value_or(kMaxPageBytes), kMaxPageBytes)}));
  if (!projected) {
    whole = false;
    return std::nullopt;
  }
  return to_record(reach_, place, found.records.front(), *std::move(projected));
}

}  // namespace

bool asks_for_changes(const crypto::Sealer& sealer, const port::RecordsRequest& request) {
  return request.changes_since || (!request.cursor.empty() && is_changes_cursor(sealer, request.cursor));
}

Result<port::RecordsPage> ResourceServer::changes(const Access& access, const port::RecordsRequest& request,
                                                  std::stop_token stop) {
  ChangesRead read(store_, clock_, sealer_, access, request, std::move(stop));
  return attempt<port::RecordsPage>(
      store_, clock_, catalogs_, access, [&](const OwnerCatalog& catalog) { return read.aim(catalog); },
      [&](const OwnerCatalog& catalog) { return told_to(access, read.read(catalog)); }, [&] { return read.held(); });
}

}  // namespace ladder::rs
