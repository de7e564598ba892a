#include "unchanged.h"

#include "child.h"
#include "scene.h"

#include "base/text/format.h"
#include "json/parse.h"

#include <boost/json/object.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>
#include <vector>

namespace ladder::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kNotes = 100'000, kNotesInFolder = 500, kMessages = 20'000, kTurns = 5;
constexpr double kMaxSeconds = 1;
constexpr auto kSettled = std::chrono::seconds(3);  // younger files may keep their size and time when they change

void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

fs::path notes(int count) {
  const fs::path root = fs::path(DATA_FOLDER) / format("notes-{}", count);
  if (fs::exists(root / "done.md")) return root;
  progress(format("making {} notes", count));
  for (int i = 0; i < count; ++i) {
    const fs::path folder = root / format("folder {}", i / kNotesInFolder);
    if (i % kNotesInFolder == 0) fs::create_directories(folder);
    write(folder / format("note {}.md", i),
          format("# Note {0}\n\nThe text of note {0} with the word{0} and [[note {1}]].\n", i, i / 2));
  }
  write(root / "done.md", "# Done\n");
  return root;
}

fs::path maildir(int count) {
  const fs::path root = fs::path(DATA_FOLDER) / format("maildir-{}", count);
  if (fs::exists(root / "done")) return root / "Mail";
  progress(format("making a Maildir of {} messages", count));
  for (const char* part : {"cur", "new", "tmp"}) fs::create_directories(root / "Mail" / part);
  for (int i = 0; i < count; ++i)
    write(root / "Mail" / "cur" / format("{}.M{}P1.host:2,S", 1'700'000'000 + i, i),
          format("From: Ann <ann@example.org>\nTo: ben@example.org\nSubject: Number {0}\nMessage-ID: <n{0}@example.org>\nDate: "
                 "Tue, 03 "
                 "Jun 2025 09:39:21 +0000\n\nThe text of message {0} with the word{0}.\n",
                 i));
  write(root / "done", "");
  return root / "Mail";
}

double seconds(auto work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

// The floor: every file is looked at once.
std::int64_t look_at(const fs::path& path) {
  std::int64_t bytes = 0;
  struct stat about{};
  if (!fs::is_directory(path)) return ::stat(path.c_str(), &about) == 0 ? about.st_size : 0;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (::lstat(entry.path().c_str(), &about) == 0) bytes += about.st_size;
  }
  return bytes;
}

std::string import(const fs::path& path, const ScratchLocation& place) {
  Child ladder({LADDER_PROGRAM, "import", path, "--db", place.location(), "--json"}, "/dev/null");
  std::string told = ladder.read_all();
  if (ladder.wait() != 0) give_up("ladder import failed: " + told.substr(0, 2000));
  return told;
}

void measure(const std::string& what, const fs::path& path, const std::string& engine, Report& report) {
  const ScratchLocation place(engine);
  Child init({LADDER_PROGRAM, "init", "--db", place.location()});
  init.read_all();
  if (init.wait() != 0) give_up("ladder init failed");
  progress(format("{}: {}", place.name_in_table(), what));
  std::this_thread::sleep_for(kSettled);
  import(path, place);
  std::vector<double> times, floors;
  for (int turn = 0; turn < kTurns; ++turn) {
    floors.push_back(seconds([&] {
      if (look_at(path) == 0) give_up("the input is empty");
    }));
    std::string told;
    times.push_back(seconds([&] { told = import(path, place); }));
    if (told.find("\"added\":0") == std::string::npos) give_up("the second import is not empty: " + told.substr(0, 500));
  }
  std::ranges::sort(times);
  std::ranges::sort(floors);
  const double median = times[kTurns / 2];
  report.below(format("{}: {}, unchanged: again", place.name_in_table(), what), format("{:.2f} s", median),
               format("{:.3f} s", floors[kTurns / 2]), median < kMaxSeconds, format("< {} s", kMaxSeconds));
}

}  // namespace

void measure_unchanged(const std::string& engine, const fs::path& mailbox, bool quick, Report& report) {
  const int note_count = quick ? kNotes / 10 : kNotes, message_count = quick ? kMessages / 10 : kMessages;
  measure(format("{} notes", note_count), notes(note_count), engine, report);
  measure(format("a Maildir of {} messages", message_count), maildir(message_count), engine, report);
  measure(format("a mailbox of {} MB", fs::file_size(mailbox) / 1'000'000), mailbox, engine, report);
}

}  // namespace ladder::bench
