// Reads one bounded window of one field under an Access. The order of checks is fixed (PDPP "field windows"):
// selector, grant, record, visibility, field, type, cursor, match. No part of the value is read before the grant
// allows its field.
//
// A long value never changes under its id. If a record changes during a read, its old value may be swept; the read
// then starts again with the new value, and a cursor reports that it is stale.
#include "server/window/field_windows.h"
#include "base/limits.h"
#include "base/text/format.h"
#include "model/base64_shape.h"
#include "model/window_selector.h"
#include "server/access/read_scope.h"
#include "server/shared/attempt.h"
#include "server/window/field_text.h"
#include "server/window/window_cursor.h"

#include <algorithm>
#include <chrono>

namespace ladder::server {
namespace {

using model::SelectorKind;
using model::WindowSelector;

// The range [start, end) of the field, and the request it came from.
struct Span {
  std::int64_t start = 0, end = 0, limit = 0;
  std::optional<api::Match> match;
  std::int64_t before = 0, after = 0;  // context around the match
  api::Keep keep = api::Keep::kStart;  // which end to keep if the window is shortened
};

constexpr std::int64_t kAnySize = std::int64_t{1} << 40;  // of a text whose size is not known yet

Span forward(std::int64_t anchor, std::int64_t limit, std::int64_t size) {
  const std::int64_t start = std::min(anchor, size);
  return {start, start + std::min(limit, size - start), limit, {}, 0, 0, api::Keep::kStart};
}

Span backward(std::int64_t anchor, std::int64_t limit, std::int64_t size) {
  const std::int64_t end = std::min(anchor, size);
  return {std::max<std::int64_t>(0, end - limit), end, limit, {}, 0, 0, api::Keep::kEnd};
}

Span around(const WindowSelector& selector, std::int64_t match_start, std::int64_t match_chars, std::int64_t size) {
  const model::MatchSpan span = model::span_around(selector, match_start, match_chars, size);
  return {span.start,
          span.end,
          span.limit,
          api::Match{selector.q, match_start, match_start + match_chars},
          selector.before_chars,
          selector.after_chars,
          api::Keep::kMatch};
}

// Handles one request through all checks.
class WindowRead {
 public:
  WindowRead(store::Store& store, const Clock& clock, const crypto::Sealer& sealer, WindowHints& hints, const Access& access,
             const api::FieldWindowRequest& request, std::stop_token stop)
      : store_(store),
        clock_(clock),
        sealer_(sealer),
        hints_(hints),
        access_(access),
        request_(request),
        stop_(std::move(stop)) {}

  Status parse();                           // validates the arguments alone
  Status aim(const OwnerCatalog& catalog);  // resolves the grant; nothing has been read yet
  // Returns nullopt if data changed during the read: resolve against the newest catalog and read again.
  Result<std::optional<api::FieldWindow>> read(const OwnerCatalog& catalog);
  const HeldGrant* held() const { return read_scope_.held.get(); }

 private:
  using ReaderHandle = std::unique_ptr<store::Reader>;

  void expect_window(store::Reader& reader);
  void guess_window(store::Reader& reader);
  std::optional<Span> likely_span(std::int64_t size) const;
  Result<std::optional<api::FieldWindow>> read_from(ReaderHandle& reader, const store::RecordRow& row,
                                                    const ConnectionStream& place);
  Result<std::optional<Span>> choose_span(ReaderHandle& reader, const FieldText& text, const CursorBinding& binding);
  Result<std::optional<Span>> match_span(ReaderHandle& reader, const FieldText& text, const WindowSelector& selector,
                                         std::int64_t from);
  Status check_access_status_now() const;
  CursorBinding binding(const ConnectionStream& place, std::string_view key) const;
  std::string hint_key(const ConnectionStream& place) const;
  Error named(Error error) const;  // adds the requested record and field

  store::Store& store_;
  const Clock& clock_;
  const crypto::Sealer& sealer_;
  WindowHints& hints_;
  const Access& access_;
  const api::FieldWindowRequest& request_;
  std::stop_token stop_;

  WindowSelector selector_;
  model::FieldPath path_;
  ReadScope read_scope_;
  std::optional<store::LongRef> hint_;
};

Status WindowRead::parse() {
  LADDER_TRY(selector_, model::checked(request_.window));
  LADDER_TRY(path_, model::parse_field_path(request_.field_path));
  return {};
}

Status WindowRead::aim(const OwnerCatalog& catalog) {
  LADDER_TRY(read_scope_,
             read_scope(access_, catalog, {request_.record.connection_id, request_.connector_key}, request_.record.stream));
  if (read_scope_.granted)
    LADDER_CHECK(grant::check_field(*read_scope_.granted, *read_scope_.streams.front().declared, path_.field));
  return {};
}

Result<std::optional<api::FieldWindow>> WindowRead::read(const OwnerCatalog& catalog) {
  std::vector<store::StreamNo> streams;
  streams.reserve(read_scope_.streams.size());
  for (const ConnectionStream& place : read_scope_.streams) streams.push_back(place.no);
  LADDER_TRY(auto reader, store_.read(access_.owner()));
  if (store_.is_remote()) expect_window(*reader);
  reader->show_damaged();  // damage is reported later, when the field is known
  LADDER_TRY(const auto found, reader->records(read_scope_.guard(access_), streams, request_.record.record_id));
  LADDER_CHECK(check_access_status(access_, read_scope_.held.get(), found.access_status, clock_.now()));
  if (found.access_status.catalog_version != catalog.version()) return std::nullopt;
  const auto picked = pick_record(read_scope_, found.records, request_.record);
  if (!picked) return std::unexpected(named(picked.error()));
  if (picked->row->damaged) {
    return std::unexpected(named(damaged_in(store::damaged_record(picked->row->no), request_.record.record_id)));
  }
  auto window = read_from(reader, *picked->row, *picked->place);
  if (!window && window.error().code == Code::kDamagedData) {
    window = std::unexpected(damaged_in(std::move(window).error(), request_.record.record_id, request_.field_path));
  }
  if (!window) return std::unexpected(named(std::move(window).error()));
  return window;
}

// Prefetches the chunks of this window, assuming the text has not moved.
void WindowRead::expect_window(store::Reader& reader) {
  if (read_scope_.streams.size() != 1) return;
  hint_ = hints_.find(hint_key(read_scope_.streams.front()));
  if (!hint_) return guess_window(reader);
  const auto span = likely_span(hint_->size_chars);
  if (!span || span->start >= span->end) return;
  const store::ChunkSpan chunks = store::chunk_span(*hint_, span->start, span->end);
  reader.expect_window(hint_->text_id, chunks.first, chunks.last);
}

// Most long texts are the only one of their record and have the largest chunks. A wrong guess costs another round trip.
void WindowRead::guess_window(store::Reader& reader) {
  const auto span = likely_span(kAnySize);
  if (!span || span->start >= span->end) return;
  store::LongRef guess;
  guess.chunk_chars = store::kChunkChars.front();
  const store::ChunkSpan chunks = store::chunk_span(guess, span->start, span->end);
  reader.expect_window(store::kFirstValue, chunks.first, chunks.last);
}

// Predicts the result of choose_span. Invalid cursors are reported there, not here.
std::optional<Span> WindowRead::likely_span(std::int64_t size) const {
  if (selector_.kind == SelectorKind::kOffset) return forward(selector_.offset_chars, selector_.limit(), size);
  if (selector_.kind == SelectorKind::kQuery) return std::nullopt;
  const auto opened = open_cursor(sealer_, binding(read_scope_.streams.front(), request_.record.record_id), selector_.cursor);
  if (!opened || opened->cursor.direction == Direction::kMatch) return std::nullopt;
  const std::int64_t limit = selector_.limit_chars.value_or(opened->cursor.limit_chars);
  const bool onwards = opened->cursor.direction == Direction::kForward;
  return onwards ? forward(opened->cursor.anchor_chars, limit, size) : backward(opened->cursor.anchor_chars, limit, size);
}

CursorBinding WindowRead::binding(const ConnectionStream& place, std::string_view key) const {
  return CursorBinding::of(read_scope_.held ? read_scope_.held->grant.grant_id : "", place.connection->row.connection_id,
                           place.declared->name, key, path_);
}

std::string WindowRead::hint_key(const ConnectionStream& place) const {
  return WindowHints::key(read_scope_.held ? read_scope_.held->no : store::GrantNo{0}, place.no, request_.record.record_id,
                          request_.field_path);
}

Result<std::optional<api::FieldWindow>> WindowRead::read_from(ReaderHandle& reader, const store::RecordRow& row,
                                                              const ConnectionStream& place) {
  auto located = store::locate(*reader, row, path_);
  if (!located && located.error().code == Code::kNotFound) return std::nullopt;  // the record changed after its row was read
  if (!located) return std::unexpected(std::move(located).error());
  LADDER_TRY(const FieldText text, FieldText::of(*std::move(located), request_.field_path));
  const store::LongRef* const ref = text.long_ref();
  if (ref && store_.is_remote() && hint_ != *ref) hints_.keep(hint_key(place), *ref);
  const CursorBinding bound = binding(place, row.key);
  LADDER_TRY(const auto span, choose_span(reader, text, bound));
  if (!span) return std::nullopt;
  LADDER_TRY(auto chars, text.chars(*reader, span->start, span->end));
  if (!chars) return std::nullopt;

  api::FieldWindow window;
  window.record = {place.connection->row.connection_id, place.declared->name, row.key};
  window.path = request_.field_path;
  window.type = text.type();
  window.mime_type = text.mime_type();
  if (const model::Field* const field = place.declared->field(path_.field);
      field && path_.nested.empty() && !field->media_type.empty())
    window.mime_type = field->media_type;
  window.text_like = text.text_like();
  window.size_chars = text.size_chars();
  if (!window.text_like) {
    LADDER_TRY(const auto end, text.chars(*reader, window.size_chars - model::Base64Shape::kMaxPadding, window.size_chars));
    if (!end) return std::nullopt;
    window.size_bytes = model::Base64Shape::decoded_size(window.size_chars, std::ranges::count(*end, '='));
  }
  window.digest = crypto::digest_text(text.digest());
  window.text = *std::move(chars);
  window.start_chars = span->start;
  window.end_chars = span->end;
  window.limit_chars = span->limit;
  window.match = span->match;
  WindowCursor to_match{Direction::kMatch, 0, selector_.limit_chars.value_or(0), {}, span->before, span->after};
  const auto seal_cursors = [&] {
    const auto sealed = [&](const WindowCursor& cursor) { return seal(sealer_, bound, text.digest(), cursor); };
    if (window.has_more()) window.next_cursor = sealed({Direction::kForward, window.end_chars, window.limit_chars, {}, 0, 0});
    if (window.start_chars > 0) {
      window.previous_cursor = sealed({Direction::kBackward, window.start_chars, window.limit_chars, {}, 0, 0});
    }
    if (!window.match) return;
    to_match.anchor_chars = window.match->end_chars;
    to_match.q = window.match->q;
    window.next_match_cursor = sealed(to_match);
  };
  seal_cursors();
  while (const auto smaller = request_.budget ? request_.budget->smaller_window(window) : std::nullopt) {
    api::shorten(window, *smaller, span->keep);
    to_match.limit_chars = smaller->limit_chars.value_or(to_match.limit_chars);
    to_match.before_chars = smaller->before_chars.value_or(to_match.before_chars);
    to_match.after_chars = smaller->after_chars.value_or(to_match.after_chars);
    seal_cursors();
  }
  return window;
}

Result<std::optional<Span>> WindowRead::choose_span(ReaderHandle& reader, const FieldText& text, const CursorBinding& binding) {
  const std::int64_t size = text.size_chars();
  if (selector_.kind == SelectorKind::kOffset) return forward(selector_.offset_chars, selector_.limit(), size);
  if (selector_.kind == SelectorKind::kQuery) return match_span(reader, text, selector_, 0);

  LADDER_TRY(const OpenedCursor opened, open_cursor(sealer_, binding, selector_.cursor));
  const WindowCursor& cursor = opened.cursor;
  if (!opened.same_content(text.digest())) {
    return std::unexpected(api::stale_cursor(cursor, size, crypto::digest_text(text.digest())));
  }
  const std::int64_t limit = selector_.limit_chars.value_or(cursor.limit_chars);
  switch (cursor.direction) {
    case Direction::kForward:
      return forward(cursor.anchor_chars, limit, size);
    case Direction::kBackward:
      return backward(cursor.anchor_chars, limit, size);
    case Direction::kMatch:
      break;
  }
  WindowSelector again = selector_;
  again.kind = SelectorKind::kQuery;
  again.q = cursor.q;
  again.before_chars = cursor.before_chars;
  again.after_chars = cursor.after_chars;
  if (!again.limit_chars && cursor.limit_chars > 0) again.limit_chars = cursor.limit_chars;
  selector_.limit_chars = again.limit_chars;
  return match_span(reader, text, again, cursor.anchor_chars);
}

// A search opens a reader per piece and may be slow, so the record's snapshot is released first and a new one is
// taken after.
Result<std::optional<Span>> WindowRead::match_span(ReaderHandle& reader, const FieldText& text, const WindowSelector& selector,
                                                   std::int64_t from) {
  reader.reset();
  const FieldText::Scan scan{access_.deadline(limits::kScanDeadlineMs), stop_, [this] { return check_access_status_now(); }};
  LADDER_TRY(const auto result, text.find(store_, access_.owner(), selector.q, from, scan));
  switch (result.found) {
    case FieldText::Found::kGone:
      return std::nullopt;
    case FieldText::Found::kMatch: {
      LADDER_TRY(reader, store_.read(access_.owner()));
      return around(selector, result.start_chars, FoldedFinder(selector.q).needle_chars(), text.size_chars());
    }
    case FieldText::Found::kNone:
      break;
  }
  return fail(Code::kQueryNotFound,
              from == 0 ? "the text does not occur in the field; try other words, or read it by offset_chars"
                        : "the text does not occur again in the field",
              "q");
}

Status WindowRead::check_access_status_now() const {
  LADDER_TRY(const auto access_status, store_.access_status(read_scope_.guard(access_)));
  return check_access_status(access_, read_scope_.held.get(), access_status, clock_.now());
}

Error WindowRead::named(Error error) const {
  error.details().record = model::format_record_id(request_.record);
  error.details().field_path = request_.field_path;
  return error;
}

}  // namespace

bool FieldWindows::may_search(const model::WindowArguments& window) const {
  return window.q || (window.cursor && looks_for_match(shared_.sealer, *window.cursor));
}

Result<api::FieldWindow> FieldWindows::read(const Access& access, const api::FieldWindowRequest& request, std::stop_token stop) {
  WindowRead read(shared_.store, shared_.clock, shared_.sealer, hints_, access, request, std::move(stop));
  LADDER_CHECK(read.parse());
  auto window = attempt<api::FieldWindow>(
      shared_, access, [&](const OwnerCatalog& catalog) { return read.aim(catalog); },
      [&](const OwnerCatalog& catalog) { return read.read(catalog); }, [&] { return read.held(); },
      [](const api::FieldWindow& answer) { return disclose(answer); });
  if (!window && window.error().param == "field") window.error().param = "field_path";  // the parameter's name in this request
  return window;
}

}  // namespace ladder::server
