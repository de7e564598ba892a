// ladder export: writes all of the owner's data as files that can be read without Ladder: declarations, records as NDJSON,
// blobs and an index. `ladder import FOLDER` imports them (docs/reference/export.md describes the layout).
#include "app/stop_signal.h"
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/visible_text.h"
#include "base/time/time.h"
#include "cli/commands/export_folder.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "cli/terminal/progress.h"
#include "json/writer.h"
#include "model/quote.h"
#include "server/owner/export_layout.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <set>

namespace ladder::cli {
namespace {

constexpr std::int64_t kBlobPiece = 1024 * 1024;
constexpr std::size_t kMaxDamageNamed = 1000;

// The counts of a finished export.
struct Totals {
  std::atomic<std::int64_t> records = 0, blobs = 0, missing_blobs = 0, bytes = 0;
  std::int64_t damaged = 0;                // unreadable records and blobs
  std::vector<std::string> damaged_names;  // the names of the first ones

  void note_damage(std::string name) {
    ++damaged;
    if (damaged_names.size() < kMaxDamageNamed) damaged_names.push_back(std::move(name));
  }
};

// The file of one stream: RECORD lines in the format of `ladder ingest`.
class StreamFile final : public server::RecordsOut {
 public:
  using Blob = std::function<Status(const std::string& blob_id)>;
  StreamFile(ExportFile& file, Totals& totals, const app::StopSignal& stop, Progress& progress, std::string place, Blob blob)
      : file_(file), totals_(totals), stop_(stop), progress_(progress), place_(std::move(place)), blob_(std::move(blob)) {}

  Status begin(std::string_view key, std::string_view emitted_at) override {
    file_.mark();
    return write(server::record_line_begin(key, emitted_at));
  }
  Status data(std::string_view piece) override { return write(piece); }
  Status end(const std::optional<std::string>& blob_id) override {
    LADDER_CHECK(write(server::kRecordLineEnd));
    ++records_;
    progress_.durable(++totals_.records, 0);
    return blob_id ? blob_(*blob_id) : Status{};
  }
  Status discard() override { return file_.return_to_mark(); }
  Status damaged(std::string_view key, std::string_view field) override {
    totals_.note_damage(field.empty()
                            ? format("record {} of {}", model::in_quotes(key), place_)
                            : format("field {} of record {} of {}", model::in_quotes(field), model::in_quotes(key), place_));
    return {};
  }

  std::int64_t records() const { return records_; }

 private:
  Status write(std::string_view bytes) {
    if (stop_.requested()) return fail(Code::kCancelled, "stopped");
    totals_.bytes += std::ssize(bytes);
    return file_.write(bytes);
  }

  ExportFile& file_;
  Totals& totals_;
  const app::StopSignal& stop_;
  Progress& progress_;
  const std::string place_;
  Blob blob_;
  std::int64_t records_ = 0;
};

class Writing {
 public:
  Writing(server::ResourceServer& server, const server::Access& owner, ExportFolder& folder, Totals& totals,
          const app::StopSignal& stop, Progress& progress)
      : server_(server), owner_(owner), folder_(folder), totals_(totals), stop_(stop), progress_(progress) {}

  Status sources(const std::vector<server::SourceDocument>& documents) {
    LADDER_CHECK(folder_.add_folder("sources"));
    for (const server::SourceDocument& document : documents) {
      server::ExportedSource& source = index_.sources.emplace_back();
      source.document = document;
      source.file = server::source_file(index_.sources.size(), document.key);
      LADDER_TRY(const auto file, ExportFile::create(folder_.at(source.file)));
      LADDER_CHECK(file->write(document.declaration));
      LADDER_TRY(source.facts, file->finish());
    }
    LADDER_CHECK(folder_.add_folder("connections"));
    return folder_.add_folder("blobs");
  }

  Status connection(const server::ConnectionSummary& summary) {
    server::ExportedConnection& written = index_.connections.emplace_back();
    written.connection = summary;
    const std::string place = server::connection_folder(index_.connections.size(), summary.connection_id);
    LADDER_CHECK(folder_.add_folder(place));
    written.blobs_file = server::blob_list_file(place);
    LADDER_TRY(const auto blobs, ExportFile::create(folder_.at(written.blobs_file)));
    for (const auto& stream : summary.streams) {
      server::ExportedStream& out = written.streams.emplace_back();
      out.stream = stream.stream;
      out.file = server::stream_file(place, written.streams.size(), stream.stream);
      LADDER_TRY(const auto file, ExportFile::create(folder_.at(out.file)));
      StreamFile records(*file, totals_, stop_, progress_, format("{}/{}", summary.connection_id, stream.stream),
                         [&](const std::string& id) { return blob(id, *blobs, written); });
      LADDER_CHECK(server_.exports().write_stream(owner_, summary.connection_id, stream.stream, records));
      out.records = records.records();
      LADDER_TRY(out.facts, file->finish());
    }
    LADDER_TRY(written.blobs_facts, blobs->finish());
    return {};
  }

  Status index(std::string_view ladder_version, std::string_view owner_name) {
    LADDER_TRY(const auto file, ExportFile::create(folder_.at(server::kExportIndexFile)));
    index_.records = totals_.records;
    index_.blobs = totals_.blobs;
    LADDER_CHECK(file->write(server::export_index(index_, ladder_version, owner_name, Clock::system().now())));
    LADDER_CHECK(file->finish());
    return {};
  }

  const std::vector<server::ExportedSource>& written_sources() const { return index_.sources; }
  const std::vector<server::ExportedConnection>& written_connections() const { return index_.connections; }

 private:
  // Writes the blob once per export, and lists it in the first connection that contains it.
  Status blob(const std::string& id, ExportFile& list, server::ExportedConnection& connection) {
    auto facts = server_.reads().blob(owner_, {id, {}, 0, 0});
    if (!facts && facts.error().code == Code::kBlobNotFound) {  // a record names it, but it was never stored
      if (missing_.insert(id).second) ++totals_.missing_blobs;
      return {};
    }
    if (!facts && facts.error().code == Code::kDamagedData) return damaged_blob(id);
    if (!facts) return std::unexpected(facts.error());
    const std::string digest = facts->digest.substr(facts->digest.find(':') + 1);
    const std::string name = server::blob_file(digest);
    if (std::filesystem::exists(folder_.at(name))) return {};
    LADDER_TRY(const auto file, ExportFile::create(folder_.at(name)));
    for (std::int64_t at = 0; at < facts->size_bytes;) {
      if (stop_.requested()) return fail(Code::kCancelled, "stopped");
      const auto read = server_.reads().blob(owner_, {id, {}, at, kBlobPiece});
      if (!read && read.error().code == Code::kDamagedData) {
        LADDER_CHECK(damaged_blob(id));
        std::filesystem::remove(folder_.at(name));
        return {};
      }
      if (!read) return std::unexpected(read.error());
      const api::Blob& piece = *read;
      if (piece.bytes.empty()) return fail(Code::kInternal, format("blob {} is shorter than recorded", id));
      at += std::ssize(piece.bytes);
      totals_.bytes += std::ssize(piece.bytes);
      LADDER_CHECK(file->write(piece.bytes));
    }
    LADDER_TRY(const server::FileInfo written, file->finish());
    if (written.sha256 != digest) {
      LADDER_CHECK(damaged_blob(id));
      std::filesystem::remove(folder_.at(name));
      return {};
    }
    ++connection.blobs;
    ++totals_.blobs;
    return list.write(server::blob_line(digest, facts->size_bytes, facts->mime_type));
  }

  // Reports a damaged blob once, even if several records name it.
  Status damaged_blob(const std::string& id) {
    if (damaged_.insert(id).second) totals_.note_damage(format("blob {}", id));
    return {};
  }

  server::ResourceServer& server_;
  const server::Access& owner_;
  ExportFolder& folder_;
  Totals& totals_;
  const app::StopSignal& stop_;
  Progress& progress_;
  server::ExportIndex index_;
  std::set<std::string> missing_, damaged_;
};

class Export final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("FOLDER", folder_, "where to write it: a new or empty folder");
    arguments.each_value(
        "--connection", "ID",
        [this](const std::string& id) {
          wanted_.push_back(id);
          return Status{};
        },
        "only this connection; may be repeated");
    arguments.example("ladder export ~/ladder-2026-11-15");
    arguments.example("ladder export ~/mail-only --connection mail");
    arguments.example("ladder import ~/ladder-2026-11-15 --db new.db");
  }

  Result<int> run(Context& context) override {
    const app::StopSignal stop;
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    LADDER_TRY(auto connections, chosen(session->server(), owner));
    std::ranges::sort(connections, {}, &server::ConnectionSummary::connection_id);
    LADDER_TRY(auto sources, session->server().sources().documents(owner));
    if (!wanted_.empty()) {
      std::erase_if(sources, [&](const server::SourceDocument& source) {
        return std::ranges::find(connections, source.key, &server::ConnectionSummary::source_key) == connections.end();
      });
    }
    LADDER_TRY(const auto folder, ExportFolder::make(folder_));
    Totals totals;
    Progress progress(context.console, [&] { return totals.bytes.load(); }, [] { return std::nullopt; }, "written");
    Writing writing(session->server(), owner, *folder, totals, stop, progress);
    const auto write = [&]() -> Status {
      LADDER_CHECK(writing.sources(sources));
      for (const auto& connection : connections) {
        if (stop.requested()) return fail(Code::kCancelled, "stopped");
        LADDER_CHECK(writing.connection(connection));
      }
      return writing.index(context.version, context.settings.owner);
    };
    Status done = write();
    if (done) done = folder->finish();
    progress.finish();
    if (!done && done.error().code == Code::kCancelled) {
      context.console.err("ladder: stopped; nothing was written\n");
      return kFailed;
    }
    LADDER_CHECK(done);
    context.console.out(context.console.json() ? as_json(writing, totals) : as_text(context, writing, totals));
    for (const std::string& name : totals.damaged_names)
      context.console.err(format("ladder: not exported, because it is damaged in the store: {}\n", visible_label(name)));
    if (totals.damaged == 0) return kDone;
    context.console.err(
        format("ladder: {} damaged records and blobs are not in the export; import them again from the original files, "
               "or from an older export\n",
               grouped(totals.damaged)));
    return kFailed;
  }

 private:
  Result<std::vector<server::ConnectionSummary>> chosen(server::ResourceServer& server, const server::Access& owner) const {
    if (wanted_.empty()) return server.sources().connections(owner);
    std::vector<server::ConnectionSummary> connections;
    for (const std::string& id : std::set<std::string>(wanted_.begin(), wanted_.end())) {
      LADDER_TRY(auto connection, server.sources().connection(owner, id));
      connections.push_back(std::move(connection));
    }
    return connections;
  }

  std::string as_json(const Writing& writing, const Totals& totals) const {
    json::Writer out;
    out.begin_object().member("folder", folder_).member("sources", writing.written_sources().size());
    out.member("records", totals.records.load()).member("blobs", totals.blobs.load());
    out.member("missing_blobs", totals.missing_blobs.load()).member("damaged", totals.damaged);
    out.member("bytes", totals.bytes.load());
    out.key("connections").begin_array();
    for (const server::ExportedConnection& connection : writing.written_connections()) {
      out.begin_object().member("connection_id", connection.connection.connection_id).key("streams").begin_array();
      for (const server::ExportedStream& stream : connection.streams) {
        out.begin_object().member("stream", stream.stream).member("records", stream.records);
        out.member("bytes", stream.facts.bytes).member("sha256", stream.facts.sha256).end_object();
      }
      out.end_array().member("blobs", connection.blobs).end_object();
    }
    return out.end_array().end_object().take() + "\n";
  }

  std::string as_text(const Context& context, const Writing& writing, const Totals& totals) const {
    std::string text;
    for (const server::ExportedConnection& connection : writing.written_connections()) {
      std::int64_t records = 0;
      for (const server::ExportedStream& stream : connection.streams) records += stream.records;
      text += format("{}: {} records in {} streams, {} blobs\n", visible_label(connection.connection.connection_id),
                     grouped(records), grouped(std::ssize(connection.streams)), grouped(connection.blobs));
    }
    text += format("Written to {}: {} records, {} blobs, {} MB.\n", visible_label(folder_), grouped(totals.records.load()),
                   grouped(totals.blobs.load()), grouped(totals.bytes.load() / 1'000'000));
    if (totals.missing_blobs > 0)
      text += format("{} blobs are referenced by records but were never stored.\n", grouped(totals.missing_blobs.load()));
    text += "Grants and tokens are not part of an export.\n";
    return text + format("Next: ladder import {}{}\n", shell_word(folder_), context.settings.db_by_flag ? " --db NEW" : "");
  }

  std::string folder_;
  std::vector<std::string> wanted_;
};

}  // namespace

std::unique_ptr<Command> make_export() { return std::make_unique<Export>(); }

}  // namespace ladder::cli
