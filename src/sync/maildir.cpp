#include "sync/maildir.h"

#include "base/text/format.h"
#include "base/text/utf8.h"
#include "base/text/visible_text.h"
#include "sync/folder_choice.h"
#include "sync/item_sync.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <system_error>

namespace ladder::sync {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxDepth = 32, kMaxDirectories = 200'000, kMaxMessages = 5'000'000;
constexpr int kListTries = 5;
constexpr std::int64_t kSettledNanoseconds = 2'000'000'000;  // times of directories are too coarse for younger changes

std::unexpected<Error> cannot_read(const fs::path& path, int error) {
  return fail(error == ENOENT ? Code::kNotFound : Code::kStoreUnavailable,
              format("'{}' cannot be read: {}", visible_label(path.string()), std::generic_category().message(error)), "--path");
}

struct DirectoryCloser {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

// Calls `use(name, type)` for every entry. Any failure means that the list is not complete.
template <class Use>
Status each_entry(const fs::path& path, Use use) {
  const std::unique_ptr<DIR, DirectoryCloser> directory(::opendir(path.c_str()));
  if (!directory) return cannot_read(path, errno);
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(directory.get());  // NOLINT(concurrency-mt-unsafe): the stream is not shared
    if (entry == nullptr) return errno == 0 ? Status{} : cannot_read(path, errno);
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") use(name, entry->d_type);
  }
}

bool is_real_folder(const fs::path& path) {
  struct stat facts{};
  return ::lstat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

std::int64_t changed_at(const fs::path& path) {
  struct stat facts{};
  if (::lstat(path.c_str(), &facts) != 0) return -1;
  return std::int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 + facts.st_mtim.tv_nsec;
}

std::string times_of(const fs::path& folder) { return format("{} {}", changed_at(folder / "cur"), changed_at(folder / "new")); }

bool is_settled(const fs::path& folder) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const std::int64_t nanoseconds = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  return std::max(changed_at(folder / "cur"), changed_at(folder / "new")) < nanoseconds - kSettledNanoseconds;
}

std::string name_of(const fs::path& root, const fs::path& folder) {
  std::string name = folder == root ? "INBOX" : folder.filename().string();
  if (name.starts_with('.')) name.erase(0, 1);
  return utf8::is_valid(name) ? name : visible_label(name);
}

// "1716.M1P2.host,U=7:2,FS" is the message "1716.M1P2.host" with the flags "FS". mbsync adds ",U=7" when it has sent a message.
struct FileName {
  std::string unique, flags;
};
FileName read_name(std::string_view name) {
  FileName read;
  std::string_view rest;
  for (const std::string_view mark : {":2,", ";2,", "!2,"}) {
    if (const std::size_t at = name.rfind(mark); at != std::string_view::npos) {
      rest = name.substr(at + mark.size());
      name = name.substr(0, at);
      break;
    }
  }
  for (const char letter : {'D', 'F', 'R', 'S', 'T'}) {
    if (rest.find(letter) != std::string_view::npos) read.flags += letter;
  }
  read.unique = name.substr(0, name.rfind(",U="));
  return read;
}

struct MaildirFile {
  std::string flags;
  fs::path path;
};
using MaildirFiles = std::map<std::string, MaildirFile>;

// A rename during the listing may hide a file or show it twice, so a directory that changed meanwhile is listed again.
Result<MaildirFiles> list_files(const fs::path& folder) {
  for (int tries = 0; tries < kListTries; ++tries) {
    const std::string before = times_of(folder);
    MaildirFiles files;
    for (const char* const part : {"new", "cur"}) {
      LADDER_CHECK(each_entry(folder / part, [&](std::string_view name, unsigned char type) {
        if (name.starts_with('.') || (type != DT_REG && type != DT_UNKNOWN) || files.size() >= kMaxMessages) return;
        FileName read = read_name(name);
        files[read.unique] = {std::move(read.flags), folder / part / name};
      }));
    }
    if (times_of(folder) == before) return files;
  }
  return fail(Code::kConflict,
              format("the folder '{}' changes all the time; it is read in the next run", visible_label(folder.string())));
}

// Returns the content; an empty optional if the file was renamed or deleted meanwhile.
Result<std::optional<std::string>> read_file(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0 && errno == ENOENT) return std::optional<std::string>();
  if (file < 0) return cannot_read(path, errno);
  struct stat facts{};
  const bool is_file = ::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
  if (!is_file || static_cast<std::uint64_t>(facts.st_size) > imap::kMaxMessageBytes) {
    ::close(file);
    return fail(Code::kResourceLimit,
                is_file ? format("the message has {} bytes; the limit is {}", facts.st_size, imap::kMaxMessageBytes)
                        : std::string("it is not a file"));
  }
  std::string content(static_cast<std::size_t>(facts.st_size), '\0');
  std::size_t have = 0;
  while (have < content.size()) {
    const ssize_t count = ::read(file, content.data() + have, content.size() - have);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    have += static_cast<std::size_t>(count);
  }
  ::close(file);
  content.resize(have);
  return content;
}

Status sync_maildir(RunParts& run, FolderState& folder, const fs::path& path) {
  const bool may_skip = is_settled(path);
  const std::string times = times_of(path);
  ++run.report.folders;
  if (may_skip && folder.version != 0 && folder.token == times) {
    ++run.report.unchanged;
    run.report.messages += static_cast<std::int64_t>(folder.messages);
    return {};
  }
  LADDER_TRY(const MaildirFiles files, list_files(path));
  Listing listing;
  listing.is_complete = true;
  for (const auto& [name, file] : files) listing.items.push_back({name, "", file.flags});
  const auto fetch = [&](std::span<const ListedItem> batch, const AddItem& add) -> Status {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      auto content = read_file(files.at(batch[i].name).path);
      if (!content) run.sink.lose(folder.name, folder.uid_next + static_cast<imap::Uid>(i), content.error().message);
      if (!content) LADDER_CHECK(add(i, std::nullopt));
      else if (*content) LADDER_CHECK(add(i, **content));
    }
    return {};
  };
  LADDER_CHECK(sync_items(run, folder, listing, fetch, {.ending = ""}));
  folder.uid_validity = 1;
  folder.messages = folder.live();
  folder.token = may_skip ? times : "";
  run.report.messages += static_cast<std::int64_t>(folder.messages);
  return run.store.save(run.owner, run.source.name, folder);
}

}  // namespace

Result<std::vector<MaildirFolder>> find_maildirs(const fs::path& root, bool with_counts) {
  std::vector<MaildirFolder> found;
  std::vector<std::pair<fs::path, std::size_t>> open = {{root, 0}};
  for (std::size_t seen = 0; !open.empty(); ++seen) {
    if (seen >= kMaxDirectories)
      return fail(Code::kResourceLimit, format("'{}' has too many folders", visible_label(root.string())), "--path");
    const auto [path, depth] = open.back();
    open.pop_back();
    const bool is_maildir = is_real_folder(path / "cur") && is_real_folder(path / "new");
    if (is_maildir) {
      const fs::path relative = path.lexically_relative(root);
      MaildirFolder& folder = found.emplace_back(relative.string(), name_of(root, path));
      if (with_counts) {
        LADDER_TRY(const MaildirFiles files, list_files(path));
        folder.messages = std::ssize(files);
      }
    }
    LADDER_CHECK(each_entry(path, [&](std::string_view name, unsigned char type) {
      const bool is_part = is_maildir && (name == "cur" || name == "new" || name == "tmp");
      const bool is_folder = type == DT_DIR || (type == DT_UNKNOWN && is_real_folder(path / name));
      if (is_folder && !is_part && depth < kMaxDepth) open.emplace_back(path / name, depth + 1);
    }));
  }
  std::ranges::sort(found, {}, &MaildirFolder::wire_name);
  if (found.empty())
    return fail(Code::kNotFound, format("'{}' contains no Maildir folder (with cur/ and new/)", visible_label(root.string())),
                "--path");
  return found;
}

ReadFolders maildir_folders(const fs::path& root) {
  return [root](RunParts& run, std::vector<FolderState>& folders) -> Result<std::vector<std::string>> {
    LADDER_TRY(const auto found, find_maildirs(root, false));
    std::vector<std::string> chosen;
    for (const MaildirFolder& one : found) {
      const std::vector<std::string>& asked = run.source.folders;
      if (!asked.empty() && std::ranges::find(asked, one.wire_name) == asked.end() &&
          std::ranges::find(asked, one.name) == asked.end())
        continue;
      chosen.push_back(one.wire_name);
      LADDER_CHECK(sync_maildir(run, state_of(folders, one.wire_name, one.name), root / one.wire_name));
    }
    return chosen;
  };
}

}  // namespace ladder::sync
