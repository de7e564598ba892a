#include "server/read/changes.h"

#include "base/text/bytes.h"
#include "base/text/format.h"
#include "server/read/list_walk.h"
#include "server/read/page_read.h"
#include "server/read/reads.h"
#include "store/index/field_versions.h"

#include <algorithm>

namespace ladder::server {
namespace {

constexpr std::string_view kTokenPurpose = "changes-token";
constexpr std::string_view kCursorPurpose = "changes-cursor";
constexpr std::size_t kPadding = 512;

// Serializes numbers and strings in sequence.
class Packer {
 public:
  explicit Packer(std::string_view binding) { put(binding); }
  void put(std::int64_t number) { put_varint(bytes_, static_cast<std::uint64_t>(number)); }
  void put(std::string_view text) { put_sized(bytes_, text); }
  void put(const ChangesToken& token) {
    put(token.made_at);
    put(static_cast<std::int64_t>(token.known.size()));
    for (const auto& [stream, version] : token.known) {
      put(stream);
      put(version);
    }
  }
  Result<std::string> seal(const crypto::Sealer& sealer, std::string_view purpose) {
    bytes_.resize((bytes_.size() + kPadding - 1) / kPadding * kPadding, '\0');
    if (bytes_.size() <= crypto::kMaxPlaintextBytes) return sealer.seal_fresh(purpose, bytes_);
    return fail(Code::kInvalidArgument, "too many connections for one changes feed; ask for one at a time with connection_id",
                "connection_id");
  }

 private:
  std::string bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}
  bool good() const { return good_; }
  std::int64_t number() {
    const auto value = get_varint(bytes_, at_);
    good_ = good_ && value;
    return good_ ? static_cast<std::int64_t>(*value) : 0;
  }
  std::string text() {
    const auto value = good_ ? get_sized(bytes_, at_) : std::nullopt;
    good_ = value.has_value();
    return std::string(value.value_or(""));
  }
  ChangesToken token() {
    ChangesToken value;
    value.made_at = number();
    for (std::int64_t left = number(); good_ && left > 0; --left) {
      const store::StreamNo stream = number();
      value.known.emplace(stream, number());
    }
    return value;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool good_ = true;
};

std::unexpected<Error> not_ours(std::string_view param) {
  return fail(Code::kInvalidCursor, "not one that this server made; start again with changes_since=beginning",
              std::string(param));
}

// Opens a sealed value and parses what follows the binding, after checking the binding.
template <class T, class Read>
Result<T> open(const crypto::Sealer& sealer, std::string_view purpose, std::string_view binding, std::string_view sealed,
               std::string_view param, Read read) {
  auto plain = sealer.open(purpose, sealed);
  if (!plain) {
    plain.error().param = param;
    return std::unexpected(std::move(plain).error());
  }
  Unpacker in(*plain);
  if (in.text() != binding) {
    if (!in.good()) return not_ours(param);
    return fail(Code::kCursorMismatch,
                "it belongs to another list, choice of fields or grant; start again with changes_since=beginning",
                std::string(param));
  }
  T value = read(in);
  if (!in.good()) return not_ours(param);
  return value;
}

}  // namespace

Result<std::string> seal_token(const crypto::Sealer& sealer, std::string_view binding, const ChangesToken& token) {
  Packer out(binding);
  out.put(token);
  return out.seal(sealer, kTokenPurpose);
}

Result<std::string> seal_cursor(const crypto::Sealer& sealer, std::string_view binding, const ChangesCursor& cursor) {
  Packer out(binding);
  out.put(cursor.since);
  out.put(cursor.horizon);
  out.put(cursor.stream);
  out.put(cursor.after);
  return out.seal(sealer, kCursorPurpose);
}

Result<ChangesToken> open_token(const crypto::Sealer& sealer, std::string_view binding, std::string_view sealed) {
  return open<ChangesToken>(sealer, kTokenPurpose, binding, sealed, "changes_since", [](Unpacker& in) { return in.token(); });
}

Result<ChangesCursor> open_cursor(const crypto::Sealer& sealer, std::string_view binding, std::string_view sealed) {
  return open<ChangesCursor>(sealer, kCursorPurpose, binding, sealed, "cursor", [](Unpacker& in) {
    ChangesCursor cursor;
    cursor.since = in.token();
    cursor.horizon = in.token();
    cursor.stream = in.number();
    cursor.after = in.number();
    return cursor;
  });
}

bool is_changes_cursor(const crypto::Sealer& sealer, std::string_view sealed) {
  return sealer.open(kCursorPurpose, sealed).has_value();
}

bool was_visible(const grant::StreamGrant* granted, const store::ChangeRow& gone) {
  if (!granted) return true;
  if (!granted->resources.empty() && std::ranges::find(granted->resources, gone.key) == granted->resources.end()) return false;
  if (!granted->time) return true;
  if (!gone.consent_time) return false;
  return (!granted->time->since || *gone.consent_time >= *granted->time->since) &&
         (!granted->time->until || *gone.consent_time < *granted->time->until);
}

namespace {

constexpr std::string_view kBeginning = "beginning";
constexpr std::int64_t kBatch = 100;  // log entries per round trip

// Each name is length-prefixed, so that different sets never produce the same string.
std::string joined(const std::set<std::string, std::less<>>& fields) {
  std::string text;
  for (const std::string& field : fields) text += format("{}:{},", field.size(), field);
  return text;
}

api::Record tombstone(const ConnectionStream& place, const store::ChangeRow& gone) {
  store::RecordRow row;
  row.key = gone.key;
  api::Record record = to_record({}, place, row, {});
  record.deleted = true;
  record.deleted_at = record.emitted_at = format_time(gone.deleted_at.value_or(0));
  return record;
}

// Reads one page of a session.
class ChangesRead final : public PageRead {
 public:
  ChangesRead(SharedState& shared, const Access& access, const api::RecordsRequest& request, std::stop_token stop)
      : PageRead(shared, access, request, std::move(stop), 0) {}

 private:
  Status aim(const OwnerCatalog& catalog) override;
  Result<std::optional<api::RecordsPage>> read(const OwnerCatalog& catalog) override;
  Status check_request() const;
  Status open_session();
  Status start_session(store::Reader& reader);  // sets the horizon on a session's first page
  Result<bool> fill(store::Reader& reader, api::RecordsPage& page);
  Status end_page(api::RecordsPage& page) const;
  // Returns the entry of one change, or nullopt if it shows the caller nothing. Clears `consistent` if data changed during
  // the read.
  Result<std::optional<api::Record>> entry(store::Reader& reader, const ConnectionStream& place, const store::ChangeRow& change,
                                           bool& consistent);

  std::vector<store::FieldNo> fields_;
  std::string binding_;
  ChangesCursor at_;
  bool started_ = false;
  struct RecordPosition {
    store::StreamNo stream = 0;
    std::int64_t after = 0;
  };
  std::vector<RecordPosition> positions_;  // one per record of the page
};

Status ChangesRead::check_request() const {
  if (!request_.expand.empty() || !request_.expand_limits.empty()) {
    return fail(Code::kInvalidExpand, "changes are not expanded; read the related stream's changes", "expand");
  }
  const auto excluded = [](std::string_view name) {
    return fail(Code::kInvalidRequest, format("{} and changes_since exclude each other", name), std::string(name));
  };
  if (request_.count != api::CountKind::kNone) return excluded("count");
  if (request_.window) return excluded("window");
  if (!request_.sort_field.empty()) return excluded("sort");
  if (!request_.filters.empty()) return excluded("filter");
  if (request_.changes_since && !request_.cursor.empty()) return excluded("cursor");
  return check_bounds(request_.max_field_chars, request_.max_bytes);
}

Status ChangesRead::aim(const OwnerCatalog& catalog) {
  LADDER_CHECK(check_request());
  LADDER_TRY(read_scope_, read_scope(access_, catalog, request_.scope, request_.stream));
  const ConnectionStream& place = read_scope_.streams.front();
  LADDER_TRY(projection_, choose_fields(read_scope_, *place.declared, request_.fields, request_.view));
  fields_.clear();
  for (const auto& [name, number] : catalog.field_numbers(*place.connection->source, place.declared->name)) {
    if (projection_.shows(name)) fields_.push_back(number);
  }
  if (projection_.everything) fields_.push_back(store::kUndeclaredField);
  // A token covers only the requested fields, so it is bound to them.
  binding_ = list_binding({"changes", read_scope_.held ? read_scope_.held->grant.grant_id : "", request_.stream,
                           request_.scope.connection_id, request_.scope.connector_key});
  if (!request_.fields.empty() || !request_.view.empty()) binding_ = list_binding({binding_, joined(projection_.fields)});
  return open_session();
}

Status ChangesRead::open_session() {
  at_ = {};
  started_ = !request_.cursor.empty();
  if (started_) {
    LADDER_TRY(at_, open_cursor(shared_.sealer, binding_, request_.cursor));
  } else if (*request_.changes_since != kBeginning) {
    LADDER_TRY(at_.since, open_token(shared_.sealer, binding_, *request_.changes_since));
  } else {
    at_.since.made_at = shared_.clock.now();
  }
  if (shared_.clock.now() - at_.since.made_at > limits::kTombstoneDays * kDay) {
    return fail(Code::kCursorExpired,
                format("deletions are kept for {} days, and this token is older; start again with changes_since=beginning",
                       limits::kTombstoneDays),
                started_ ? "cursor" : "changes_since");
  }
  return {};
}

Status ChangesRead::start_session(store::Reader& reader) {
  at_.horizon = {shared_.clock.now(), {}};
  for (const ConnectionStream& place : read_scope_.streams) {
    LADDER_TRY(const auto counters, reader.counters(place.no));
    at_.horizon.known[place.no] = counters.max_version;
  }
  at_.stream = read_scope_.streams.front().no;
  return {};
}

Result<std::optional<api::RecordsPage>> ChangesRead::read(const OwnerCatalog& catalog) {
  LADDER_TRY(const auto reader, open_reader(shared_.store, shared_.clock, access_, read_scope_, catalog));
  if (!reader) return std::nullopt;
  if (!started_) LADDER_CHECK(start_session(*reader));
  api::RecordsPage page;
  warn_of_clamp(request_.limit, page.warnings);
  LADDER_TRY(const bool consistent, fill(*reader, page));
  if (!consistent) return std::nullopt;
  if (!page.has_more) {
    LADDER_TRY(page.next_changes_since, seal_token(shared_.sealer, binding_, at_.horizon));
  }
  LADDER_CHECK(end_page(page));
  return page;
}

// Truncates the page to what the caller has room for.
Status ChangesRead::end_page(api::RecordsPage& page) const {
  const std::size_t kept = api::records_to_keep(request_.budget, page);
  if (kept == page.records.size()) return {};
  page.records.resize(kept);
  page.has_more = true;
  page.next_changes_since.clear();
  ChangesCursor next = at_;
  next.stream = positions_[kept - 1].stream;
  next.after = positions_[kept - 1].after;
  LADDER_TRY(page.next_cursor, seal_cursor(shared_.sealer, binding_, next));
  return {};
}

// Walks the streams one after another, each in version order.
Result<bool> ChangesRead::fill(store::Reader& reader, api::RecordsPage& page) {
  const std::int64_t limit = page_limit(request_.limit);
  const std::int64_t max_bytes = page_bytes();
  std::int64_t bytes = 0;
  positions_.clear();
  // If the connection at the cursor was erased during the session, the position is lost and the walk starts over.
  bool there = std::ranges::find(read_scope_.streams, at_.stream, &ConnectionStream::no) == read_scope_.streams.end();
  for (const ConnectionStream& place : read_scope_.streams) {
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
        bool consistent = true;
        LADDER_TRY(auto record, entry(reader, place, change, consistent));
        if (!consistent) return false;
        const std::int64_t size = record ? std::ssize(record->data) : 0;
        const bool full = std::ssize(page.records) == limit || (bytes + size > max_bytes && !page.records.empty());
        if (record && full) {
          page.has_more = true;
          LADDER_TRY(page.next_cursor, seal_cursor(shared_.sealer, binding_, at_));
          return true;
        }
        at_.after = change.version;
        bytes += size;
        if (!record) continue;
        page.records.push_back(*std::move(record));
        positions_.push_back({at_.stream, at_.after});
      }
    }
  }
  return true;
}

Result<std::optional<api::Record>> ChangesRead::entry(store::Reader& reader, const ConnectionStream& place,
                                                      const store::ChangeRow& change, bool& consistent) {
  if (change.deleted) {
    const auto known = at_.since.known.find(place.no);
    const bool was_there = known != at_.since.known.end() && change.created <= known->second;
    if (!was_there || !was_visible(read_scope_.granted, change)) return std::nullopt;
    return tombstone(place, change);
  }
  LADDER_TRY(const auto found, reader.records({}, std::span(&place.no, 1), change.key));
  if (found.records.empty() || !is_visible(read_scope_, found.records.front())) return std::nullopt;
  LADDER_TRY(auto projected, project(reader, found.records.front(), projection_, {request_.max_field_chars, page_bytes()}));
  if (!projected) {
    consistent = false;
    return std::nullopt;
  }
  return to_record(read_scope_, place, found.records.front(), *std::move(projected));
}

}  // namespace

bool is_changes_request(const crypto::Sealer& sealer, const api::RecordsRequest& request) {
  return request.changes_since || (!request.cursor.empty() && is_changes_cursor(sealer, request.cursor));
}

Result<api::RecordsPage> Reads::changes(const Access& access, const api::RecordsRequest& request, std::stop_token stop) {
  return ChangesRead(shared_, access, request, std::move(stop)).page("changes");
}

}  // namespace ladder::server
