#include "app/import/import_unit.h"

#include "base/text/number.h"

#include <algorithm>
#include <utility>

namespace ladder::app {
namespace {

constexpr auto kKeepEvery = std::chrono::milliseconds(100);
constexpr std::size_t kMaxMarks = 256;
constexpr std::size_t kMaxStreams = 64;  // per unit: each stream has a thread

std::unexpected<Error> out_of_order() { return fail(Code::kRsProtocol, "the extractor sent frames out of order"); }

std::unexpected<Error> too_many_streams() { return fail(Code::kRsProtocol, "the extractor sent too many streams"); }

}  // namespace

ImportUnit::ImportUnit(imports::wire::FrameSource& extractor, server::Ingest& ingest, const server::Access& owner, Target target,
                       UnitAccount account, ImportCounters& counters, const Stop& stop, Keep keep,
                       std::function<void(std::int64_t)> stored)
    : extractor_(extractor),
      ingest_(ingest),
      owner_(owner),
      target_(std::move(target)),
      before_(account),
      account_(std::move(account)),
      counters_(counters),
      stop_(stop),
      keep_(std::move(keep)),
      blobs_(extractor, ingest, owner, stop,
             [this](const imports::wire::RecordHeader& head, std::string_view data) { return pass(head, data); }),
      report_stored_(std::move(stored)) {
  account_.broken_off.clear();
  account_.position.clear();
  account_.bytes = 0;
  counters_.bytes = before_.bytes;
}

Status ImportUnit::run() {
  Status done;
  while (!ended_ && done) {
    auto frame = extractor_.next();
    done = frame ? take(*frame) : Status(std::unexpected(frame.error()));
    if (done) done = save_durable_position();
  }
  const bool is_the_childs = !done && (done.error().code == Code::kRsUnreachable || done.error().code == Code::kRsProtocol ||
                                       done.error().code == Code::kRsTimeout);
  if (is_the_childs) {
    child_has_ended_ = true;
    if (arriving_ == Arriving::kHeld) blobs_.drop_last();
    account_.broken_off = done.error().message;
    account_.lose({{account_.file, -1}, done.error().message});
  }
  Status stored = done || is_the_childs ? blobs_.flush() : Status{};
  if (Status finished = finish_feeds(); stored) stored = finished;
  if (!done && !is_the_childs) {
    if (done.error().code == Code::kCancelled) save_final_position();
    return done;
  }
  return stored;
}

Status ImportUnit::take(imports::wire::Frame& frame) {
  using imports::wire::Kind;
  if (bytes_missing_ > 0 && frame.kind != Kind::kMore && frame.kind != Kind::kProgress) return out_of_order();
  switch (frame.kind) {
    case Kind::kRecord:
      return take_record(frame);
    case Kind::kMore:
      return take_more(frame.payload);
    case Kind::kBlob:
      return blobs_.take(frame.payload);
    case Kind::kProgress: {
      const auto sent = parse_number(frame.payload);
      if (!sent || *sent < 0) return out_of_order();
      const std::int64_t bytes = std::min(*sent, imports::wire::kMaxUnitBytes);
      // Formats that cannot resume midway read again what an earlier run has read.
      counters_.bytes.store(std::max(bytes, before_.bytes), std::memory_order_relaxed);
      report_stored_(stored());
      return {};
    }
    case Kind::kLost: {
      LADDER_TRY(imports::wire::Loss loss, imports::wire::read_loss(frame.payload));
      account_.lose(std::move(loss));
      return {};
    }
    case Kind::kSkipped: {
      LADDER_TRY(const imports::wire::Loss skip, imports::wire::read_loss(frame.payload));
      if (!may_name(skip.place.file)) return too_many_streams();
      account_.skip(skip.place.file, skip.reason);
      return {};
    }
    case Kind::kGone: {
      LADDER_TRY(const imports::wire::Loss gone, imports::wire::read_loss(frame.payload));
      if (!target_.streams.contains(gone.place.file)) return too_many_streams();
      if (see_gone_) see_gone_(gone.place.file, gone.reason);
      else account_.skip(gone.place.file, "deleted at its source, which a sync removes");
      return {};
    }
    case Kind::kComplete:
      is_complete_ = true;
      return {};
    case Kind::kCheckpoint: {
      if (frame.payload.size() > imports::wire::kMaxPositionBytes) return out_of_order();
      last_position_ = frame.payload;
      Mark mark{std::move(frame.payload), {}, account_.streams, account_.lost, account_.losses.size(), counters_.bytes};
      for (const auto& [name, feed] : feeds_) mark.lines[name] = feed->lines() + blobs_.held(name);
      // Halves the list of positions when it is full, by dropping every second one.
      if (marks_.size() >= kMaxMarks) {
        for (std::size_t i = 0; i < marks_.size() / 2; ++i) marks_[i] = std::move(marks_[2 * i + 1]);
        marks_.resize(marks_.size() / 2);
      }
      marks_.push_back(std::move(mark));
      return {};
    }
    case Kind::kUnitEnd:
      ended_ = true;
      account_.broken_off = imports::wire::read_sentence(frame.payload);
      if (!frame.payload.empty()) account_.lose({{account_.file, -1}, account_.broken_off});
      return {};
    default:
      return out_of_order();
  }
}

Result<ImportFeed*> ImportUnit::feed_of(const std::string& stream) {
  if (const auto found = feeds_.find(stream); found != feeds_.end()) return found->second.get();
  if (!target_.streams.contains(stream))
    return fail(Code::kRsProtocol, "the extractor sent records of a stream that is not declared");
  if (feeds_.size() >= kMaxStreams || !may_name(stream)) return too_many_streams();
  auto feed = std::make_unique<ImportFeed>(ingest_, owner_, server::IngestTarget{target_.connection_id, stream}, stop_);
  return feeds_.emplace(stream, std::move(feed)).first->second.get();
}

// Counts the streams of the account, including those of earlier runs and of skips.
bool ImportUnit::may_name(const std::string& stream) const {
  if (stream.size() > imports::wire::kMaxStreamBytes) return false;
  return account_.streams.contains(stream) || account_.streams.size() < 2 * kMaxStreams;
}

Status ImportUnit::take_record(const imports::wire::Frame& frame) {
  std::string_view rest = frame.payload;
  LADDER_TRY(const imports::wire::RecordHeader head, imports::wire::read_record_header(rest));
  LADDER_TRY(ImportFeed* const feed, feed_of(head.stream));
  if (head.data_bytes < rest.size()) return out_of_order();
  if (see_record_) see_record_(head, rest);
  StreamAccount& stream = account_.streams[head.stream];
  ++stream.read;
  if (head.time) stream.count_time(*head.time);
  if (!blobs_.holds(head.data_bytes)) LADDER_CHECK(blobs_.flush());
  arriving_ = blobs_.waiting() ? Arriving::kHeld : Arriving::kFed;
  if (arriving_ == Arriving::kHeld) blobs_.hold(head);
  else LADDER_CHECK((open_ = feed)->begin_line(head));
  bytes_missing_ = head.data_bytes;
  return take_more(rest);
}

Status ImportUnit::take_more(std::string_view bytes) {
  if (arriving_ == Arriving::kNothing || bytes.size() > bytes_missing_) return out_of_order();
  // A newline would split the record in two.
  if (bytes.find('\n') != std::string_view::npos)
    return fail(Code::kRsProtocol, "the extractor sent a record that contains a newline");
  if (arriving_ == Arriving::kHeld) blobs_.append(bytes);
  else LADDER_CHECK(open_->append(bytes));
  bytes_missing_ -= bytes.size();
  if (bytes_missing_ > 0) return {};
  return std::exchange(arriving_, Arriving::kNothing) == Arriving::kHeld ? blobs_.advance() : open_->end_line();
}

// Passes on a record that was held back.
Status ImportUnit::pass(const imports::wire::RecordHeader& head, std::string_view data) {
  LADDER_TRY(ImportFeed* const feed, feed_of(head.stream));
  LADDER_CHECK(feed->begin_line(head));
  LADDER_CHECK(feed->append(data));
  return feed->end_line();
}

// Returns how many marks have all their lines on disk.
std::size_t ImportUnit::durable_marks() {
  std::map<std::string, std::int64_t> durable;
  for (const auto& [name, feed] : feeds_) durable[name] = feed->progress().durable;
  const auto reached = [&](const Mark& mark) {
    return std::ranges::all_of(mark.lines, [&](const auto& line) { return durable[line.first] >= line.second; });
  };
  std::size_t count = 0;
  while (count < marks_.size() && reached(marks_[count])) ++count;
  return count;
}

// Saves the newest mark whose lines are all on disk.
Status ImportUnit::save_durable_position() {
  const auto now = std::chrono::steady_clock::now();
  if (marks_.empty() || now - kept_ < kKeepEvery) return {};
  const std::size_t count = durable_marks();
  if (count == 0) return {};
  kept_ = now;
  if (Status kept = keep_(account_at(marks_[count - 1])); !kept) {
    // Writers of records retry, and end the import when their retry time is over.
    return kept.error().code == Code::kStoreUnavailable ? Status{} : kept;
  }
  saved_mark_ = std::move(marks_[count - 1]);
  marks_.erase(marks_.begin(), marks_.begin() + static_cast<std::ptrdiff_t>(count));
  return {};
}

// Runs once more when the import stops, to count the records stored since the last time. A failure is harmless, since the
// previous position was saved.
void ImportUnit::save_final_position() {
  const std::size_t count = durable_marks();
  if (count > 0) saved_mark_ = std::move(marks_[count - 1]);
  if (saved_mark_) static_cast<void>(keep_(account_at(*saved_mark_)));
}

// Computes the report as if the import ended at the mark. Records stored beyond it are listed, so that they are counted only
// once however often the import is interrupted.
UnitAccount ImportUnit::account_at(const Mark& mark) {
  UnitAccount account = account_;
  account.position = mark.position;
  account.bytes = mark.bytes;
  account.lost = mark.lost;
  account.losses.resize(std::min(account.losses.size(), mark.losses));
  account.streams = mark.own;
  for (const auto& [name, feed] : feeds_) {
    const auto found = mark.lines.find(name);
    const std::int64_t lines = found == mark.lines.end() ? 0 : found->second;
    const std::int64_t accepted = count(name, *feed, lines, account);
    const std::int64_t rejected = feed->rejections_through(lines).count;
    account.ahead[name] = std::max(ahead_before(name), accepted) - (lines - rejected);
  }
  return account;
}

// Adds what the stream has stored so far and which of its first `lines` it rejected; returns how many it stored. Records that
// an earlier run stored beyond its position arrive again unchanged and are already counted.
std::int64_t ImportUnit::count(const std::string& name, ImportFeed& feed, std::int64_t lines, UnitAccount& account) const {
  const server::IngestReport stored = feed.progress().report;
  ImportFeed::Rejections rejected = feed.rejections_through(lines);
  StreamAccount& stream = account.streams[name];
  stream.added += stored.added;
  stream.changed += stored.changed;
  stream.unchanged += stored.unchanged - std::min(ahead_before(name), stored.unchanged);
  stream.erased += stored.erased;
  stream.rejected += rejected.count;
  account.lost += rejected.count - std::ssize(rejected.listed);
  for (imports::wire::Loss& loss : rejected.listed) account.lose(std::move(loss));
  return stored.accepted;
}

std::int64_t ImportUnit::ahead_before(const std::string& stream) const {
  const auto found = before_.ahead.find(stream);
  return found == before_.ahead.end() ? 0 : found->second;
}

Status ImportUnit::finish_feeds() {
  Status first;
  for (auto& [name, feed] : feeds_) {
    if (Status done = feed->finish(); !done && first) first = done;
    seen_keys_[name].add(feed->keys());
    count(name, *feed, feed->lines(), account_);
  }
  account_.ahead.clear();
  std::set<store::Digest> unused;
  for (const auto& [name, feed] : feeds_) unused.insert(feed->left_out_blobs().begin(), feed->left_out_blobs().end());
  return first ? blobs_.drop_unused(unused) : first;
}

std::int64_t ImportUnit::stored() const {
  std::int64_t records = 0;
  for (const auto& [name, feed] : feeds_) records += is_counted(name) ? feed->progress().report.accepted : 0;
  return records;
}

}  // namespace ladder::app
