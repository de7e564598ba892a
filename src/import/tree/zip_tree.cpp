// A zip, including zip64, through libzip. The directory is checked before anything is unpacked, and an entry never returns more
// bytes than the directory states.
#include "base/text/format.h"
#include "import/io/bytes.h"
#include "import/io/limits.h"
#include "import/text/text.h"
#include "import/tree/archive_names.h"
#include "import/tree/tree.h"

#include <sys/stat.h>
#include <zip.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <memory>

namespace ladder::imports {
namespace {

// The bytes of an archive: files on disk, or an archive inside another one, which is in memory.
struct ArchiveBytes {
  std::shared_ptr<const FilePieces> file;
  std::shared_ptr<const std::string> memory;  // if `file` is null

  std::int64_t size() const { return file ? file->size() : static_cast<std::int64_t>(memory->size()); }
  Result<std::size_t> read_at(std::int64_t offset, char* buffer, std::size_t capacity) const {
    if (file) return file->read_at(offset, buffer, capacity);
    return memory->copy(buffer, capacity, std::min(static_cast<std::size_t>(offset), memory->size()));
  }
};

// The state of the libzip source that reads them.
struct PiecesSource {
  ArchiveBytes file;
  std::int64_t at = 0;
  zip_error_t error{};
};

zip_int64_t answer(void* state, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  auto& source = *static_cast<PiecesSource*>(state);
  switch (command) {
    case ZIP_SOURCE_OPEN:
      source.at = 0;
      return 0;
    case ZIP_SOURCE_READ: {
      const auto count = source.file.read_at(source.at, static_cast<char*>(data), length);
      if (!count) {
        zip_error_set(&source.error, ZIP_ER_READ, EIO);
        return -1;
      }
      source.at += static_cast<std::int64_t>(*count);
      return static_cast<zip_int64_t>(*count);
    }
    case ZIP_SOURCE_CLOSE:
      return 0;
    case ZIP_SOURCE_STAT: {
      auto* file_stat = static_cast<zip_stat_t*>(data);
      zip_stat_init(file_stat);
      file_stat->size = static_cast<zip_uint64_t>(source.file.size());
      file_stat->valid |= ZIP_STAT_SIZE;
      return sizeof(zip_stat_t);
    }
    case ZIP_SOURCE_ERROR:
      return zip_error_to_data(&source.error, data, length);
    case ZIP_SOURCE_FREE:
      delete &source;
      return 0;
    case ZIP_SOURCE_SEEK: {
      const auto offset = zip_source_seek_compute_offset(
          static_cast<zip_uint64_t>(source.at), static_cast<zip_uint64_t>(source.file.size()), data, length, &source.error);
      if (offset < 0) return -1;
      source.at = offset;
      return 0;
    }
    case ZIP_SOURCE_TELL:
      return source.at;
    case ZIP_SOURCE_SUPPORTS:
      return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
                                            ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_SUPPORTS, -1);
    default:
      zip_error_set(&source.error, ZIP_ER_OPNOTSUPP, 0);
      return -1;
  }
}

struct Closer {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

// Opens the archive through libzip. ArchiveBytes guarantee that reopening finds the same file.
Result<std::shared_ptr<zip_t>> open_archive(const ArchiveBytes& file) {
  zip_error_t error;
  zip_error_init(&error);
  auto state = std::make_unique<PiecesSource>(file);
  zip_error_init(&state->error);
  zip_source_t* source = zip_source_function_create(answer, state.get(), &error);
  if (!source) return fail(Code::kInternal, "libzip has no memory");
  static_cast<void>(state.release());  // the libzip source frees it
  zip_t* const archive = zip_open_from_source(source, ZIP_RDONLY, &error);
  if (archive) return std::shared_ptr<zip_t>(archive, Closer());
  const std::string why = zip_error_strerror(&error);
  zip_error_fini(&error);
  zip_source_free(source);
  return fail(Code::kInvalidRequest, format("the zip cannot be opened: {}", why));
}

class ZipBytes final : public Bytes {
 public:
  ZipBytes(std::shared_ptr<zip_t> archive, std::unique_ptr<zip_file_t, Closer> file, std::int64_t size)
      : archive_(std::move(archive)), file_(std::move(file)), left_(size) {}

  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    const zip_int64_t count = zip_fread(file_.get(), buffer, capacity);
    if (count < 0) return fail(Code::kInvalidRequest, format("the archive is damaged here: {}", zip_file_strerror(file_.get())));
    if (count > left_) return fail(Code::kResourceLimit, "the entry unpacks to more bytes than the archive states");
    left_ -= count;
    return static_cast<std::size_t>(count);
  }

 private:
  std::shared_ptr<zip_t> archive_;  // outlives file_
  std::unique_ptr<zip_file_t, Closer> file_;
  std::int64_t left_;
};

std::string method_name(zip_uint16_t method) {
  switch (method) {
    case ZIP_CM_DEFLATE64:
      return "Deflate64";
    case ZIP_CM_BZIP2:
      return "bzip2";
    case ZIP_CM_LZMA:
      return "LZMA";
    case ZIP_CM_XZ:
      return "XZ";
    case 93:  // ZIP_CM_ZSTD of later libzip versions
      return "Zstandard";
    case ZIP_CM_PPMD:
      return "PPMd";
    default:
      return format("method {}", method);
  }
}

class ZipTree final : public Tree {
 public:
  ZipTree(std::string name, std::string place, ArchiveBytes file, std::shared_ptr<zip_t> archive)
      : file_(std::move(file)), archive_(std::move(archive)), unpacked_limit_(unpacked_limit(file_.size())) {
    name_ = std::move(name);
    place_ = std::move(place);
    keep_open();
    const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
    for (zip_int64_t i = 0; i < count; ++i) list(static_cast<zip_uint64_t>(i));
    std::vector<zip_uint64_t> numbers;
    for (const std::size_t i : sort_entries()) numbers.push_back(numbers_[i]);
    numbers_ = std::move(numbers);
  }
  ~ZipTree() override { open_archives().remove(this); }
  ZipTree(const ZipTree&) = delete;
  ZipTree& operator=(const ZipTree&) = delete;

  Result<std::unique_ptr<Bytes>> open_entry(EntryNo entry, std::int64_t from) override {
    if (!archive_) {
      LADDER_TRY(archive_, open_archive(file_));
      keep_open();
    }
    std::unique_ptr<zip_file_t, Closer> file(zip_fopen_index(archive_.get(), numbers_[entry], 0));
    if (!file) return fail(Code::kInvalidRequest, format("the archive is damaged here: {}", zip_strerror(archive_.get())));
    auto bytes = std::make_unique<ZipBytes>(archive_, std::move(file), entries_[entry].size);
    LADDER_CHECK(skip(*bytes, from));
    return bytes;
  }

 private:
  // libzip needs some kilobytes per open archive, so only a bounded number is open, most recently opened first.
  static std::list<ZipTree*>& open_archives() {
    static std::list<ZipTree*> archives;
    return archives;
  }
  void keep_open() {
    std::list<ZipTree*>& archives = open_archives();
    while (archives.size() >= limits::kMaxOpenArchives) {
      archives.back()->archive_.reset();
      archives.pop_back();
    }
    archives.push_front(this);
  }

  static std::int64_t unpacked_limit(std::int64_t archive_bytes) {
    const std::int64_t by_ratio =
        archive_bytes > limits::kMaxTotalBytes / limits::kMaxRatio ? limits::kMaxTotalBytes : archive_bytes * limits::kMaxRatio;
    return std::min(std::max(by_ratio, limits::kRatioFreeBytes), limits::kMaxTotalBytes);
  }

  void refuse(std::string_view path, std::string reason) {
    const bool is_link = reason == kLinkReason;
    refusals_.push_back({{replace_invalid(path), -1}, std::move(reason), is_link});
  }

  void list(zip_uint64_t number) {
    zip_stat_t file_stat;
    zip_stat_init(&file_stat);
    if (zip_stat_index(archive_.get(), number, 0, &file_stat) != 0 || (file_stat.valid & ZIP_STAT_NAME) == 0) {
      return refuse(format("entry {}", number), "the archive's directory is damaged here");
    }
    const std::string_view raw = file_stat.name;
    if (raw.ends_with('/')) return;
    const auto path = entry_path(raw);
    if (!path) return refuse(raw, path.error());
    if (is_clutter(*path)) return;
    if (const std::string reason = reason_against(number, file_stat); !reason.empty()) return refuse(*path, reason);
    unpacked_ += static_cast<std::int64_t>(file_stat.size);
    Entry entry{*path, static_cast<std::int64_t>(file_stat.size), std::nullopt};
    if ((file_stat.valid & ZIP_STAT_MTIME) != 0) entry.modified = static_cast<Instant>(file_stat.mtime) * kSecond;
    entries_.push_back(std::move(entry));
    numbers_.push_back(number);
  }

  std::string reason_against(zip_uint64_t number, const zip_stat_t& file_stat) const {
    zip_uint8_t system = 0;
    zip_uint32_t attributes = 0;
    if (zip_file_get_external_attributes(archive_.get(), number, 0, &system, &attributes) == 0 && system == ZIP_OPSYS_UNIX) {
      const auto mode = static_cast<mode_t>(attributes >> 16);
      if (S_ISLNK(mode)) return kLinkReason;
      if ((mode & S_IFMT) != 0 && !S_ISREG(mode)) return "not a regular file or folder";
    }
    if ((file_stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && file_stat.encryption_method != ZIP_EM_NONE) {
      return "it is encrypted; unpack the archive with its password and import the folder";
    }
    if ((file_stat.valid & ZIP_STAT_COMP_METHOD) != 0 && zip_compression_method_supported(file_stat.comp_method, 0) == 0) {
      return format("unsupported compression: {}; unpack the archive and import the folder", method_name(file_stat.comp_method));
    }
    if (entries_.size() >= limits::kMaxEntries) return format("the archive contains more than {} files", limits::kMaxEntries);
    if ((file_stat.valid & ZIP_STAT_SIZE) == 0 || file_stat.size > static_cast<zip_uint64_t>(limits::kMaxEntryBytes)) {
      return format("its stated size is over {} bytes", limits::kMaxEntryBytes);
    }
    const auto size = static_cast<std::int64_t>(file_stat.size);
    const auto packed = (file_stat.valid & ZIP_STAT_COMP_SIZE) != 0 ? std::max<zip_uint64_t>(file_stat.comp_size, 1) : 1;
    if (size > limits::kRatioFreeBytes && file_stat.size / packed > static_cast<zip_uint64_t>(limits::kMaxRatio)) {
      return format("it would unpack to {} times its size, too much for an export", file_stat.size / packed);
    }
    if (unpacked_ + size > unpacked_limit_)
      return format("the archive would unpack to more than {} bytes in total", unpacked_limit_);
    return {};
  }

  ArchiveBytes file_;
  std::shared_ptr<zip_t> archive_;     // null while closed
  std::vector<zip_uint64_t> numbers_;  // parallel to entries_: index in the archive
  std::int64_t unpacked_ = 0;
  const std::int64_t unpacked_limit_;
};

}  // namespace

Result<std::unique_ptr<Tree>> open_zip(std::string name, const std::vector<std::filesystem::path>& pieces,
                                       const std::filesystem::path& root) {
  LADDER_TRY(FilePieces opened, FilePieces::open(pieces, root));
  const ArchiveBytes file{std::make_shared<const FilePieces>(std::move(opened)), {}};
  LADDER_TRY(auto archive, open_archive(file));
  return std::make_unique<ZipTree>(std::move(name), replace_invalid(pieces.front().string()), file, std::move(archive));
}

Result<std::unique_ptr<Tree>> open_inner_zip(std::string name, std::string place, std::string bytes) {
  const ArchiveBytes file{{}, std::make_shared<const std::string>(std::move(bytes))};
  LADDER_TRY(auto archive, open_archive(file));
  return std::make_unique<ZipTree>(std::move(name), std::move(place), file, std::move(archive));
}

}  // namespace ladder::imports
