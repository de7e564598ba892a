#include "app/sync/synced_records.h"

#include "app/sync/record_key.h"
#include "base/limits.h"
#include "base/text/format.h"
#include "json/parse.h"
#include "json/writer.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace ladder::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFilingBytes = 1 * limits::kMiB;

// Staged files are named UID:2,FLAGS or UID.ics.
std::optional<sync::imap::Uid> uid_of(std::string_view file) {
  file.remove_prefix(file.rfind('/') + 1);
  const auto uid = sync::imap::parse_number(file.substr(0, file.find_first_not_of("0123456789")));
  return uid ? std::optional(static_cast<sync::imap::Uid>(*uid)) : std::nullopt;
}

class Quiet final : public server::IngestObserver {
 public:
  explicit Quiet(const Stop& stop) : stop_(stop) {}
  void durable_through(std::int64_t, const server::IngestReport&) override {}
  bool wants_stop() override { return stop_.requested(); }
  bool leaves_out_erased() const override { return true; }
  std::chrono::milliseconds retry_time() const override { return kImportRetryTime; }

 private:
  const Stop& stop_;
};

// A folder that is removed at the end, also after an error.
struct Removed {
  const fs::path& folder;
  ~Removed() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
};

std::string with_flags(std::string_view filing, std::string_view flags) {
  auto parsed = json::parse(filing, kMaxFilingBytes, 4);
  boost::json::object* const object = parsed ? parsed->if_object() : nullptr;
  if (!object) return {};
  const auto set = [&](const char* name, char letter) { (*object)[name] = flags.find(letter) != std::string_view::npos; };
  set("read", 'S');
  set("replied", 'R');
  set("flagged", 'F');
  set("trashed", 'T');
  set("draft", 'D');
  return boost::json::serialize(*object);
}

}  // namespace

SyncedRecords::SyncedRecords(server::ResourceServer& server, const server::Access& owner, Target target, UnitAccount account,
                             Keep keep, const std::stop_token& stop)
    : server_(server),
      owner_(owner),
      target_(std::move(target)),
      account_(std::move(account)),
      keep_(std::move(keep)),
      pass_on_stop_(stop, [this] { stop_.request(); }),
      has_records_(target_.has_records) {
  account_.what = format("{} synced from {}", target_.format, target_.place);
  account_.file = target_.name;
}

void SyncedRecords::unit_done(const UnitAccount& account) { batch_ = account; }

void SyncedRecords::record_read(const imports::wire::RecordHeader& head, std::string_view data) {
  const auto uid = uid_of(head.place.file);
  if (!uid) return;
  sync::StoredItem& item = read_[*uid];
  item.uid = *uid;
  if (std::string key = record_key(head, data); !key.empty()) item.records.push_back({head.stream, std::move(key)});
}

Result<std::vector<sync::StoredItem>> SyncedRecords::import(const fs::path& staged) {
  read_.clear();
  LADDER_TRY(const bool complete, import_folder(staged));
  if (!complete) LADDER_CHECK(import_singly(staged));
  std::vector<sync::StoredItem> stored;
  stored.reserve(read_.size());
  for (auto& [uid, item] : read_) stored.push_back(std::move(item));
  return stored;
}

// Returns false if the child process failed, so that some of the messages may not be stored.
Result<bool> SyncedRecords::import_folder(const fs::path& staged) {
  ImportRun::Settings settings{{}, target_.extractor};
  settings.words.as = target_.format;
  settings.words.connection = target_.connection;
  settings.words.name = target_.name;
  if (has_records_) settings.words.existing.insert(target_.connection);
  settings.words.staged = target_.format == "mail";
  batch_ = {};
  ImportRun run(settings, *this, stop_);
  const Status planned = run.make_plan({staged.string()});
  const bool is_childs_fault =
      !planned && (planned.error().code == Code::kRsUnreachable || planned.error().code == Code::kRsProtocol ||
                   planned.error().code == Code::kRsTimeout);
  if (is_childs_fault) return false;
  LADDER_CHECK(planned);
  if (run.plan().units.empty()) return fail(Code::kInternal, "the importer found nothing in the fetched files");
  LADDER_CHECK(run.import_all(server_.import_roles(), owner_));
  has_records_ = has_records_ || !run.connections().empty();
  if (!batch_.broken_off.empty()) return false;
  LADDER_CHECK(keep_account(run));
  return true;
}

// The import replaced the report of the connection by that of this batch; the total is put in its place.
Status SyncedRecords::keep_account(const ImportRun& run) {
  account_.add(std::move(batch_));
  account_.at = Clock::system().now();
  LADDER_CHECK(server_.imports().put(owner_, target_.connection, unit_name(run.plan().units.front()), to_json(account_)));
  return keep_(account_);
}

// A message that crashes the importer must not keep the others from being imported.
Status SyncedRecords::import_singly(const fs::path& staged) {
  const fs::path single = staged.parent_path().parent_path() / "single" / staged.filename();
  const Removed removed{single};
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(staged, error)) {
    if (entry.is_regular_file(error)) files.push_back(entry.path());
  }
  for (const fs::path& file : files) {
    const fs::path target = single / fs::relative(file, staged, error);
    fs::remove_all(single, error);
    fs::create_directories(target.parent_path(), error);
    fs::rename(file, target, error);
    if (error) return fail(Code::kStoreUnavailable, format("fetched mail cannot be moved: {}", error.message()));
    LADDER_TRY(const bool complete, import_folder(single));
    if (!complete)
      account_.lose({{fs::relative(file, staged, error).string(), -1},
                     batch_.broken_off.empty() ? "the importer failed" : batch_.broken_off});
  }
  return keep_(account_);
}

void SyncedRecords::lose(const std::string& folder, sync::imap::Uid uid, std::string reason) {
  account_.lose({{format("{}/{}", folder, uid), -1}, std::move(reason)});
}

Status SyncedRecords::set_flags(std::span<const sync::FlagChange> changes) {
  std::string lines;
  for (const sync::FlagChange& change : changes) {
    api::RecordRequest request;
    request.record = {target_.connection, "filings", change.filing};
    const auto record = server_.reads().record(owner_, request);
    if (!record && record.error().code == Code::kNotFound) continue;  // the owner erased it
    LADDER_CHECK(record);
    const std::string data = record->deleted || !record->cut.empty() ? "" : with_flags(record->data, change.flags);
    if (!data.empty()) lines += format("{{\"data\":{}}}\n", data);
  }
  return write_lines("filings", lines);
}

Status SyncedRecords::remove(std::span<const sync::RecordKey> records) {
  std::map<std::string, std::vector<std::string>> keys;  // by stream
  for (const sync::RecordKey& record : records) keys[record.stream].push_back(record.key);
  Quiet observer(stop_);
  for (const auto& [stream, some] : keys)
    LADDER_CHECK(server_.ingest().remove_records(owner_, {target_.connection, stream}, some, observer));
  return stop_.requested() ? fail(Code::kCancelled, "stopped") : Status{};
}

Result<bool> SyncedRecords::is_shared() {
  if (target_.is_shared) return true;
  LADDER_TRY(const auto rows, server_.imports().list(owner_, target_.connection));
  for (const store::ImportRow& row : rows) {
    const auto account = read_account(row.body);
    const bool is_own = account && (target_.format.empty() ? account->synced_by == target_.name
                                                           : account->what == account_.what && account->file == account_.file);
    if (!is_own) return true;
  }
  return false;
}

Status SyncedRecords::write_lines(const std::string& stream, const std::string& lines) {
  if (lines.empty()) return {};
  server::TextBytes bytes(lines);
  server::LineSource source(bytes, limits::kMaxLineBytes);
  Quiet observer(stop_);
  LADDER_TRY(const server::IngestReport report,
             server_.ingest().put_records(owner_, {target_.connection, stream}, source, observer));
  if (stop_.requested()) return fail(Code::kCancelled, "stopped");
  if (report.rejected == 0) return {};
  return fail(Code::kInternal, format("the store rejected changes of {}: {}", stream, report.rejections.front().message));
}

}  // namespace ladder::app
