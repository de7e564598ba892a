// Exports a connection as one archive in the layout of `ladder export`, written while it is sent.
#include "base/mutex.h"
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "console/console.h"
#include "console/sources/zip_writer.h"
#include "crypto/hash.h"
#include "http/message/message.h"
#include "model/quote.h"
#include "server/owner/export_layout.h"
#include "server/owner/exports.h"
#include "server/read/reads.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

namespace ladder::console {
namespace {

constexpr std::size_t kPieceBytes = 256 * 1024;
constexpr std::size_t kMaxWaiting = 4 * 1024 * 1024;  // produced but not sent yet
constexpr std::size_t kMaxHeld = 64 * 1024 * 1024;    // of a record that may still be discarded
constexpr std::int64_t kBlobPiece = 1024 * 1024;
constexpr std::size_t kMaxNamed = 10'000;

// Passes bytes from the producer thread to the sender.
class Pipe {
 public:
  Status put(std::string_view bytes) {
    MutexLock lock(mutex_);
    while (waiting_.size() >= kMaxWaiting && !cancelled_) room_.wait(lock);
    if (cancelled_) return fail(Code::kCancelled, "stopped");
    waiting_ += bytes;
    more_.notify_one();
    return {};
  }
  void end(Status outcome) {
    const MutexLock lock(mutex_);
    outcome_ = std::move(outcome);
    ended_ = true;
    more_.notify_one();
  }
  void cancel() {
    const MutexLock lock(mutex_);
    cancelled_ = true;
    room_.notify_one();
  }
  Result<bool> take(std::string& piece) {
    piece.clear();
    MutexLock lock(mutex_);
    more_.wait_for(lock, std::chrono::seconds(1),
                   [&]() LADDER_REQUIRES(mutex_) { return ended_ || waiting_.size() >= kPieceBytes; });
    piece.swap(waiting_);
    room_.notify_one();
    if (!piece.empty() || !ended_) return true;
    if (!outcome_) return std::unexpected(outcome_.error());
    return false;
  }

 private:
  Mutex mutex_;
  Condition room_, more_;
  std::string waiting_ LADDER_GUARDED_BY(mutex_);
  bool ended_ LADDER_GUARDED_BY(mutex_) = false, cancelled_ LADDER_GUARDED_BY(mutex_) = false;
  Status outcome_ LADDER_GUARDED_BY(mutex_);
};

// A file of the archive. Counts and hashes its bytes.
class ZipFile {
 public:
  explicit ZipFile(ZipWriter& zip) : zip_(zip) {}

  Status begin(const std::string& name) { return zip_.begin(name); }
  Status write(std::string_view bytes) {
    hash_.update(bytes);
    bytes_ += std::ssize(bytes);
    return zip_.write(bytes);
  }
  Result<server::FileInfo> finish() {
    LADDER_CHECK(zip_.end());
    return server::FileInfo{bytes_, to_hex(crypto::view(hash_.finish()))};
  }

 private:
  ZipWriter& zip_;
  crypto::Sha256 hash_;
  std::int64_t bytes_ = 0;
};

// Writes the lines of one stream. A record is buffered until it is complete, because a record that changes during the read is
// sent again.
class StreamLines final : public server::RecordsOut {
 public:
  StreamLines(ZipFile& file, std::set<std::string>& blobs, std::vector<std::string>& damaged)
      : file_(file), blobs_(blobs), damaged_(damaged) {}

  Status begin(std::string_view key, std::string_view emitted_at) override {
    held_ = server::record_line_begin(key, emitted_at);
    sent_ = false;
    return {};
  }
  Status data(std::string_view piece) override {
    held_ += piece;
    return held_.size() < kMaxHeld ? Status{} : send();
  }
  Status end(const std::optional<std::string>& blob_id) override {
    held_ += server::kRecordLineEnd;
    ++records_;
    if (blob_id) blobs_.insert(*blob_id);
    return send();
  }
  Status discard() override {
    if (sent_) return fail(Code::kConflict, "a long record changed while it was exported; export it again");
    held_.clear();
    return {};
  }
  Status damaged(std::string_view key, std::string_view field) override {
    if (damaged_.size() < kMaxNamed) damaged_.push_back(format("record {} {}", model::in_quotes(key), field));
    return {};
  }
  std::int64_t records() const { return records_; }

 private:
  Status send() {
    sent_ = true;
    Status written = file_.write(held_);
    held_.clear();
    return written;
  }

  ZipFile& file_;
  std::set<std::string>& blobs_;
  std::vector<std::string>& damaged_;
  std::string held_;
  bool sent_ = false;
  std::int64_t records_ = 0;
};

class ConnectionExport {
 public:
  ConnectionExport(server::Exports& exports, server::Reads& reads, const server::Access& owner, Pipe& pipe)
      : exports_(exports), reads_(reads), owner_(owner), zip_([&pipe](std::string_view bytes) { return pipe.put(bytes); }) {}

  Status run(server::ConnectionSummary connection, server::SourceDocument source, const std::string& version, Instant now) {
    server::ExportedSource& declared = index_.sources.emplace_back();
    declared.document = std::move(source);
    declared.file = server::source_file(1, declared.document.key);
    LADDER_TRY(declared.facts, whole_file(declared.file, declared.document.declaration));
    server::ExportedConnection& written = index_.connections.emplace_back();
    written.connection = std::move(connection);
    const std::string folder = server::connection_folder(1, written.connection.connection_id);
    for (const auto& stream : written.connection.streams) LADDER_CHECK(add_stream(written, folder, stream.stream));
    LADDER_CHECK(add_blobs(written, folder));
    if (!damaged_.empty()) {
      std::string names;
      for (const std::string& name : damaged_) names += name + "\n";
      LADDER_CHECK(whole_file("not-exported.txt", names));
    }
    LADDER_CHECK(
        whole_file(std::string(server::kExportIndexFile), server::export_index(index_, version, owner_.owner_name(), now)));
    return zip_.finish();
  }

 private:
  Result<server::FileInfo> whole_file(const std::string& name, std::string_view content) {
    ZipFile file(zip_);
    LADDER_CHECK(file.begin(name));
    LADDER_CHECK(file.write(content));
    return file.finish();
  }

  Status add_stream(server::ExportedConnection& written, const std::string& folder, const std::string& name) {
    server::ExportedStream& out = written.streams.emplace_back();
    out.stream = name;
    out.file = server::stream_file(folder, written.streams.size(), name);
    ZipFile file(zip_);
    LADDER_CHECK(file.begin(out.file));
    StreamLines lines(file, blobs_, damaged_);
    LADDER_CHECK(exports_.write_stream(owner_, written.connection.connection_id, name, lines));
    out.records = lines.records();
    index_.records += out.records;
    LADDER_TRY(out.facts, file.finish());
    return {};
  }

  Status add_blobs(server::ExportedConnection& written, const std::string& folder) {
    std::string list;
    for (const std::string& id : blobs_) LADDER_CHECK(add_blob(id, written, list));
    written.blobs_file = server::blob_list_file(folder);
    LADDER_TRY(written.blobs_facts, whole_file(written.blobs_file, list));
    return {};
  }

  Status add_blob(const std::string& id, server::ExportedConnection& written, std::string& list) {
    const auto facts = reads_.blob(owner_, {id, {}, 0, 0});
    if (!facts && facts.error().code == Code::kBlobNotFound) return {};  // referenced by a record, but never stored
    if (!facts && facts.error().code == Code::kDamagedData) return note_damaged(id);
    if (!facts) return std::unexpected(facts.error());
    const std::string digest = facts->digest.substr(facts->digest.find(':') + 1);
    ZipFile file(zip_);
    LADDER_CHECK(file.begin(server::blob_file(digest)));
    bool sound = true;
    for (std::int64_t at = 0; at < facts->size_bytes && sound;) {
      const auto piece = reads_.blob(owner_, {id, {}, at, kBlobPiece});
      if (!piece && piece.error().code != Code::kDamagedData) return std::unexpected(piece.error());
      sound = piece && !piece->bytes.empty();
      if (!sound) break;
      at += std::ssize(piece->bytes);
      LADDER_CHECK(file.write(piece->bytes));
    }
    LADDER_TRY(const server::FileInfo was, file.finish());
    if (!sound || was.sha256 != digest) return note_damaged(id);
    ++written.blobs;
    ++index_.blobs;
    list += server::blob_line(digest, facts->size_bytes, facts->mime_type);
    return {};
  }

  Status note_damaged(const std::string& id) {
    if (damaged_.size() < kMaxNamed) damaged_.push_back(format("attachment {}", id));
    return {};
  }

  server::Exports& exports_;
  server::Reads& reads_;
  const server::Access& owner_;
  ZipWriter zip_;
  server::ExportIndex index_;
  std::set<std::string> blobs_;
  std::vector<std::string> damaged_;
};

class ExportBody final : public http::BodyStream {
 public:
  using Make = std::function<Status(Pipe&)>;
  explicit ExportBody(Make make) : thread_([this, make = std::move(make)] { pipe_.end(make(pipe_)); }) {}
  ~ExportBody() override {
    pipe_.cancel();
    thread_.join();
  }
  ExportBody(const ExportBody&) = delete;
  ExportBody& operator=(const ExportBody&) = delete;

  Result<bool> next(std::string& piece) override { return pipe_.take(piece); }

 private:
  Pipe pipe_;
  std::thread thread_;
};

// The destructor joins the thread.
std::unique_ptr<http::BodyStream> export_stream(server::Exports& exports, server::Reads& reads, const server::Access& owner,
                                                server::ConnectionSummary connection, server::SourceDocument source,
                                                std::string ladder_version, Instant now) {
  return std::make_unique<ExportBody>([&exports, &reads, owner, connection = std::move(connection), source = std::move(source),
                                       version = std::move(ladder_version), now](Pipe& pipe) {
    return ConnectionExport(exports, reads, owner, pipe).run(connection, source, version, now);
  });
}

}  // namespace

Result<http::Response> Console::export_records(Visit& visit) {
  server::ResourceServer& server = authorization_.server();
  LADDER_TRY(const auto connection, server.sources().connection(*visit.owner, visit.form.one("connection")));
  LADDER_TRY(const auto sources, server.sources().documents(*visit.owner));
  const auto source = std::ranges::find(sources, connection.source_key, &server::SourceDocument::key);
  if (source == sources.end()) return fail(Code::kNotFound, "the source of this connection is no longer declared");
  const Instant now = authorization_.now();
  http::Response response;
  response.headers.set("Content-Type", "application/zip");
  response.headers.set("Content-Disposition",
                       format("attachment; filename=\"ladder-{}-{}.zip\"", server::export_slug(connection.connection_id),
                              format_time(now).substr(0, 10)));
  response.headers.set("Cache-Control", "no-store");
  response.headers.set("X-Content-Type-Options", "nosniff");
  response.stream = export_stream(server.exports(), server.reads(), *visit.owner, connection, *source, about_.version, now);
  return response;
}

}  // namespace ladder::console
