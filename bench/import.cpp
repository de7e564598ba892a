// Measures how fast `ladder import` imports a mailbox and a ChatGPT export compared with a bare parse of the same file,
// how much memory the program and its child process use together, and how large the store of a text mailbox is compared
// with the mailbox. The exports are generated once from a seed and kept next to this program.
//
//   bench_import [sqlite|postgres] [--quick] [--unchanged]     --unchanged: only imports of unchanged input
#include "bare.h"
#include "child.h"
#include "exports.h"
#include "report.h"
#include "scene.h"
#include "text_mailbox.h"
#include "unchanged.h"

#include "base/text/format.h"
#include "json/parse.h"

#include <boost/json/object.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace ladder::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMB = 1'000'000;
constexpr double kLeastShare = 0.333;
constexpr int kTurns = 3;
constexpr std::int64_t kMaxMemory = 200 * kMB;
// One message is held in memory completely: its bytes, text and record by the child process, its line by the program.
constexpr std::int64_t kLargeMessage = 100 * kMB, kMaxForLargeMessage = 4 * kLargeMessage + 50 * kMB;
constexpr double kMaxSize = 2;  // the store's size relative to its text
constexpr std::uint64_t kSeed = 6;
// The interval between memory samples. Sampling every 5 ms cost a fifteenth of the throughput on two cores.
constexpr auto kLook = std::chrono::milliseconds(25);

struct Export {
  std::string what;
  std::string format;  // the floor's name for it
  fs::path file;
  std::int64_t records = 0;  // records that the import must add
};

// Generates the file again if this program is newer, since its output may have changed.
bool is_there(const fs::path& file) {
  return fs::exists(file) && fs::last_write_time(file) > fs::last_write_time("/proc/self/exe");
}

demo::Expected written(const std::string& name, demo::ExportRequest request,
                       demo::Expected (*write)(const demo::ExportRequest&)) {
  request.folder = fs::path(DATA_FOLDER) / name;
  const fs::path note = request.folder / "expected";
  demo::Expected expected;
  if (is_there(note)) {
    std::ifstream in(note);
    std::int64_t count = 0;
    for (std::string what; in >> what >> count;) expected[what] = count;
    return expected;
  }
  progress(format("making {}", name));
  fs::remove_all(request.folder);
  fs::create_directories(request.folder);
  expected = write(request);
  std::ofstream out(note);
  for (const auto& [what, count] : expected) out << what << ' ' << count << '\n';
  return expected;
}

fs::path mailbox_of(const std::string& name) {
  return fs::path(DATA_FOLDER) / name / "Takeout" / "Mail" / "All mail Including Spam and Trash.mbox";
}

constexpr std::int64_t kMaildirMessages = 3;  // in every generated mail export, outside its mailbox

Export mailbox(std::int64_t bytes) {
  const std::string name = format("mail-{}MB", bytes / kMB);
  const auto expected = written(name, {.folder = {}, .seed = kSeed, .bytes = bytes}, demo::write_mail_export);
  return {format("a mailbox of {} MB", bytes / kMB), "mail", mailbox_of(name),
          expected.at("messages") - kMaildirMessages + expected.at("attachments")};
}

Export chats(std::int64_t bytes) {
  const std::string name = format("chatgpt-{}MB", bytes / kMB);
  const auto expected = written(name, {.folder = {}, .seed = kSeed, .bytes = bytes}, demo::write_chatgpt_export);
  return {format("a ChatGPT export of {} MB", bytes / kMB), "chatgpt", fs::path(DATA_FOLDER) / name / "conversations.json",
          expected.at("conversations") + expected.at("messages")};
}

Export large_message(std::int64_t bytes) {
  const std::string name = format("message-{}MB", bytes / kMB);
  const auto expected = written(name, {.folder = {}, .seed = kSeed, .count = 20, .large_bytes = bytes}, demo::write_mail_export);
  return {format("a message of {} MB", bytes / kMB), "mail", mailbox_of(name),
          expected.at("messages") - kMaildirMessages + expected.at("attachments")};
}

Export text_mailbox(std::int64_t bytes) {
  const std::string name = format("text-{}MB", bytes / kMB);
  const auto expected = written(name, {.folder = {}, .seed = kSeed, .bytes = bytes}, [](const demo::ExportRequest& request) {
    return demo::Expected{{"messages", write_text_mailbox(request.folder / "text.mbox", request.seed, request.bytes)}};
  });
  return {format("a mailbox of {} MB of text", bytes / kMB), "mail", fs::path(DATA_FOLDER) / name / "text.mbox",
          expected.at("messages")};
}

// Records the peak memory of a process and its child processes together.
class MemoryWatch {
 public:
  explicit MemoryWatch(pid_t process) : process_(process), thread_([this] { watch(); }) {}
  ~MemoryWatch() { over_ = true; }
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;
  std::int64_t most() {
    over_ = true;
    if (thread_.joinable()) thread_.join();
    return most_;
  }

 private:
  void watch() {
    while (!over_) {
      std::int64_t sum = anonymous_memory(process_);
      std::ifstream children(format("/proc/{0}/task/{0}/children", process_));
      for (int child = 0; children >> child;) sum += anonymous_memory(child);
      most_ = std::max(most_, sum);
      std::this_thread::sleep_for(kLook);
    }
  }
  const pid_t process_;
  std::atomic<bool> over_ = false;
  std::int64_t most_ = 0;
  std::jthread thread_;
};

double seconds(auto work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

double bare_seconds(const Export& one) {
  return seconds([&] {
    Child floor({FLOOR_PROGRAM, one.format, one.file});
    floor.read_all();
    if (floor.wait() != 0) give_up("the bare parse failed");
  });
}

// Sums the added records of all streams of the only import.
std::int64_t added(const std::string& told) {
  const auto json = json::parse(told, told.size() + 1, 32);
  if (!json) give_up("ladder import did not answer with JSON: " + told.substr(0, 500));
  std::int64_t sum = 0;
  for (const auto& stream : json->at("runs").at(0).at("accounts").at(0).at("streams").as_array())
    sum += stream.at("added").as_int64();
  return sum;
}

struct Taken {
  double seconds = 0;
  std::int64_t memory = 0;
};

Taken import(const Export& one, const ScratchLocation& place, std::int64_t expected) {
  Child init({LADDER_PROGRAM, "init", "--db", place.location()});
  init.read_all();
  if (init.wait() != 0) give_up("ladder init failed");
  Taken taken;
  std::string told;
  taken.seconds = seconds([&] {
    Child ladder({LADDER_PROGRAM, "import", one.file, "--db", place.location(), "--json"}, "/dev/null");
    MemoryWatch memory(ladder.id());
    told = ladder.read_all();
    if (ladder.wait() != 0) give_up("ladder import failed: " + told.substr(0, 2000));
    taken.memory = memory.most();
  });
  if (added(told) != expected) give_up(format("{} records were added, and not {}", added(told), expected));
  return taken;
}

// Returns the bytes of the store's files, or of the PostgreSQL database.
std::int64_t store_bytes(const ScratchLocation& place) {
  if (place.engine() != "sqlite")
    return std::stoll(BarePostgres(place.location()).value("SELECT pg_database_size(current_database())"));
  std::int64_t bytes = 0;
  for (const char* end : {"", "-wal"}) {
    if (fs::exists(place.location() + end)) bytes += static_cast<std::int64_t>(fs::file_size(place.location() + end));
  }
  return bytes;
}

// Measures the store of a text mailbox against the bytes of the mailbox.
void measure_size(const Export& one, const std::string& engine, Report& report) {
  const ScratchLocation place(engine);
  const std::string what = format("{}: {}: size of the store beside it", place.name_in_table(), one.what);
  progress(what);
  import(one, place, one.records);
  const std::int64_t store = store_bytes(place), text = static_cast<std::int64_t>(fs::file_size(one.file));
  const auto size = [](std::int64_t bytes) { return format("{:.1f} MB", static_cast<double>(bytes) / static_cast<double>(kMB)); };
  const double ratio = static_cast<double>(store) / static_cast<double>(text);
  if (engine == "sqlite") report.at_most(what, size(store), size(text), ratio, kMaxSize);
  else report.note(what, size(store), size(text), ratio);
}

void memory_row(Report& report, const std::string& what, std::int64_t memory, std::int64_t most = kMaxMemory) {
  report.below(format("{}: anonymous memory, both processes", what), format("{} MB", memory / kMB), memory < most,
               format("< {} MB", most / kMB));
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Alternates the runs, so that other load on the machine affects both.
void measure(const Export& one, const std::string& engine, Report& report) {
  const std::string what = format("{}: {}", ScratchLocation(engine).name_in_table(), one.what);
  std::vector<double> bare, ours;
  std::int64_t memory = 0;
  for (int turn = 1; turn <= kTurns; ++turn) {
    progress(format("{}: turn {} of {}", what, turn, kTurns));
    bare.push_back(bare_seconds(one));
    const Taken taken = import(one, ScratchLocation(engine), one.records);
    ours.push_back(taken.seconds);
    memory = std::max(memory, taken.memory);
  }
  const double megabytes = static_cast<double>(fs::file_size(one.file)) / static_cast<double>(kMB);
  const auto rate = [&](const std::vector<double>& seconds) { return format("{:.1f} MB/s", megabytes / median(seconds)); };
  const double share = median(bare) / median(ours);
  // PostgreSQL has no bar: its server does most of the work on the same cores.
  if (engine == "sqlite") report.at_least(what, rate(ours), rate(bare), share, kLeastShare);
  else report.note(what, rate(ours), rate(bare), share);
  memory_row(report, what, memory);
}

int run(int argc, char** argv) {
  std::vector<std::string> given;
  const auto engines = engines_to_run(argc, argv, {"--quick", "--unchanged"}, given);
  const bool quick = std::ranges::find(given, "--quick") != given.end();
  const Export mail = mailbox(quick ? 100 * kMB : 1000 * kMB);
  Report report("import");
  for (const std::string& engine : engines) measure_unchanged(engine, mail.file, quick, report);
  if (std::ranges::find(given, "--unchanged") != given.end()) {
    report.print();
    return report.exit_code();
  }
  const Export chat = chats(quick ? 20 * kMB : 200 * kMB);
  const Export message = large_message(kLargeMessage), text = text_mailbox(quick ? 30 * kMB : 150 * kMB);
  for (const std::string& engine : engines) {
    measure(mail, engine, report);
    measure(chat, engine, report);
    measure_size(text, engine, report);
    const ScratchLocation place(engine);
    progress(format("{}: {}", place.name_in_table(), message.what));
    memory_row(report, format("{}: {}", place.name_in_table(), message.what), import(message, place, message.records).memory,
               kMaxForLargeMessage);
  }
  report.print();
  return report.exit_code();
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) { return ladder::bench::run(argc, argv); }
