#include "app/import/upload_folder.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "json/parse.h"
#include "json/writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

namespace ladder::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kMaxNameBytes = 255;  // of one path component, the limit of file systems
constexpr std::size_t kMaxPathBytes = 2048;
constexpr std::size_t kMaxFactBytes = 16 * limits::kKiB;
constexpr std::int64_t kRoomLeft = 128 * static_cast<std::int64_t>(limits::kMiB);  // disk space that an upload must leave free
constexpr const char* kFacts = "upload.ndjson";

std::unexpected<Error> cannot(std::string_view doing, int error) {
  return fail(Code::kStoreUnavailable,
              format("the file cannot be {} on this server: {}", doing, std::generic_category().message(error)));
}

class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

Status write_all(int file, std::string_view bytes, std::int64_t at) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file, bytes.data(), bytes.size(), at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == ENOSPC) return fail(Code::kResourceLimit, "the disk is full; the upload can be resumed");
    if (count < 0) return cannot("written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
    at += count;
  }
  return {};
}

std::string text_in(const boost::json::object& object, const char* name) {
  const boost::json::value* value = object.if_contains(name);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::int64_t size_of(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  return error ? 0 : static_cast<std::int64_t>(size);
}

}  // namespace

bool is_file_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxPathBytes || !utf8::is_valid(name)) return false;
  std::size_t depth = 0;
  for (std::string_view rest = name;;) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    const bool plain = !part.empty() && part != "." && part != ".." && part.size() <= kMaxNameBytes &&
                       std::ranges::none_of(part, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
    if (!plain || ++depth > kMaxDepth) return false;
    if (slash == std::string_view::npos) return true;
    rest.remove_prefix(slash + 1);
  }
}

std::vector<UploadFolder::Kept> UploadFolder::kept() const {
  std::vector<Kept> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root_, error)) {
    Kept upload;
    upload.id = entry.path().filename().string();
    std::ifstream facts(entry.path() / kFacts);
    for (std::string line; std::getline(facts, line);) {
      const auto parsed = json::parse(line, kMaxFactBytes, 4);
      const boost::json::object* const fact = parsed ? parsed->if_object() : nullptr;
      if (!fact) continue;  // a server was killed while writing the last line
      if (fact->contains("owner")) {
        upload.owner = text_in(*fact, "owner");
        upload.begun_at = parse_time(text_in(*fact, "begun_at")).value_or(0);
      }
      if (fact->contains("started")) upload.started = true;
      const std::string name = text_in(*fact, "file");
      const boost::json::value* const size = fact->if_contains("size");
      if (is_file_name(name) && size && size->is_int64())
        upload.files.push_back({name, size_of(dropped(upload.id) / name), size->get_int64()});
    }
    struct stat file_status{};
    if (::stat((entry.path() / kFacts).c_str(), &file_status) == 0) upload.touched_at = file_status.st_mtim.tv_sec * kSecond;
    found.push_back(std::move(upload));
  }
  return found;
}

Status UploadFolder::make(std::string_view id, std::string_view owner, Instant begun_at) const {
  std::error_code ignored;
  fs::create_directories(root_.parent_path(), ignored);  // the state folder, at the first upload to a PostgreSQL store
  for (const fs::path& folder : {root_, root_ / id, dropped(id)}) {
    if (::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) return cannot("taken", errno);
  }
  json::Writer line;
  line.begin_object().member("owner", owner).member("begun_at", format_time(begun_at)).end_object();
  return append_fact(id, line.take());
}

Status UploadFolder::add(std::string_view id, std::string_view name, std::int64_t size) const {
  if (!is_file_name(name)) return fail(Code::kInvalidRequest, "this file name is not allowed; rename the file");
  LADDER_CHECK(check_room(size));
  std::error_code error;
  const fs::path path = dropped(id) / name;
  fs::create_directories(path.parent_path(), error);
  if (error) return cannot("taken", error.value());
  const Descriptor file(path, O_WRONLY | O_CREAT);
  if (file.get() < 0) return cannot("taken", errno);
  json::Writer line;
  line.begin_object().member("file", name).member("size", size).end_object();
  return append_fact(id, line.take());
}

Status UploadFolder::write(std::string_view id, std::string_view name, std::int64_t at, std::string_view bytes) const {
  LADDER_CHECK(check_room(std::ssize(bytes)));
  const Descriptor file(dropped(id) / name, O_WRONLY);
  if (file.get() < 0) return cannot("written", errno);
  return write_all(file.get(), bytes, at);
}

Status UploadFolder::note_start(std::string_view id) const { return append_fact(id, R"({"started":true})"); }

Status UploadFolder::append_fact(std::string_view id, std::string_view line) const {
  const Descriptor file(root_ / id / kFacts, O_WRONLY | O_CREAT);
  if (file.get() < 0) return cannot("written", errno);
  return write_all(file.get(), format("{}\n", line), size_of(root_ / id / kFacts));
}

void UploadFolder::remove(std::string_view id) const {
  std::error_code ignored;
  fs::remove_all(root_ / id, ignored);
  fs::remove(root_, ignored);  // not empty if there are other uploads
}

Status UploadFolder::check_room(std::int64_t bytes) const {
  struct statvfs disk{};
  if (::statvfs(root_.c_str(), &disk) != 0) return cannot("taken", errno);
  const auto free = static_cast<std::int64_t>(disk.f_bavail) * static_cast<std::int64_t>(disk.f_frsize);
  if (bytes <= free - kRoomLeft) return {};
  return fail(Code::kResourceLimit, "not enough disk space on the server; free some space and upload it again");
}

std::vector<std::string> UploadFolder::paths(std::string_view id) const {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(dropped(id), error)) found.push_back(entry.path().string());
  std::ranges::sort(found);
  return found;
}

}  // namespace ladder::app
