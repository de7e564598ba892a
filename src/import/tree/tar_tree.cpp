// A tar, compressed or not: ustar, GNU long names and pax headers. Listed in one pass; entries are then read in place.
#include "base/text/format.h"
#include "import/io/limits.h"
#include "import/text/text.h"
#include "import/tree/archive_names.h"
#include "import/tree/gzip_file.h"
#include "import/tree/tree.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <unordered_map>

namespace ladder::imports {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::int64_t kMaxMetaBytes = 1 * 1024 * 1024;  // a pax header or long name

using Header = std::array<char, kBlock>;

std::string_view tar_text(const Header& header, std::size_t at, std::size_t length) {
  const std::string_view field(header.data() + at, length);
  return field.substr(0, field.find('\0'));
}

// Parses octal digits, or binary if the first bit is set. Returns nullopt for anything else or an absurd value.
std::optional<std::int64_t> number_of(const Header& header, std::size_t at, std::size_t length) {
  const auto first = static_cast<unsigned char>(header[at]);
  std::int64_t value = 0;
  if ((first & 0x80) != 0) {
    for (std::size_t i = 0; i < length; ++i) {
      const int byte = static_cast<unsigned char>(header[at + i]) & (i == 0 ? 0x7F : 0xFF);
      if (value > (std::int64_t{1} << 54)) return std::nullopt;
      value = value * 256 + byte;
    }
    return value;
  }
  const std::string_view digits = trim(tar_text(header, at, length));
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
  if (digits.empty()) return 0;
  if (error != std::errc() || end != digits.data() + digits.size() || value < 0) return std::nullopt;
  return value;
}

bool checksum_holds(const Header& header) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < kBlock; ++i) sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(header[i]);
  return number_of(header, 148, 8) == sum;
}

bool is_zero(const Header& header) {
  return std::ranges::all_of(header, [](char c) { return c == 0; });
}

// Attributes that pax and GNU headers give the next entry.
struct Extra {
  std::string path, link;
  std::optional<std::int64_t> size;
  std::optional<std::string> sparse;  // a GNU sparse file: its real name, or ""
};

// Records such as "27 path=some/where\n".
void read_pax(std::string_view text, Extra& extra) {
  while (!text.empty()) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    const auto digits = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || length <= digits + 1 || length > text.size()) return;
    std::string_view record = text.substr(digits + 1, length - digits - 1);
    text.remove_prefix(length);
    if (record.ends_with('\n')) record.remove_suffix(1);
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = record.substr(0, equals), value = record.substr(equals + 1);
    if (name == "path") extra.path = value;
    if (name == "linkpath") extra.link = value;
    if (name.starts_with("GNU.sparse.") && !extra.sparse) extra.sparse.emplace();
    if (name == "GNU.sparse.name") extra.sparse = value;
    if (name == "size") {
      std::int64_t size = -1;
      std::from_chars(value.data(), value.data() + value.size(), size);
      extra.size = size;
    }
  }
}

// Random access to the container of the tar: a plain file or a gzip.
class Container {
 public:
  explicit Container(FilePieces file, bool packed) {
    if (packed) gzip_ = std::make_unique<GzipFile>(std::move(file));
    else plain_.emplace(std::move(file));
  }
  Result<std::size_t> read_at(std::int64_t offset, char* buffer, std::size_t capacity) {
    return gzip_ ? gzip_->read_at(offset, buffer, capacity) : plain_->read_at(offset, buffer, capacity);
  }
  // Fills the buffer as far as possible.
  Result<std::size_t> fill(std::int64_t offset, char* buffer, std::size_t capacity) {
    std::size_t filled = 0;
    while (filled < capacity) {
      LADDER_TRY(const std::size_t count,
                 read_at(offset + static_cast<std::int64_t>(filled), buffer + filled, capacity - filled));
      if (count == 0) break;
      filled += count;
    }
    return filled;
  }

 private:
  std::unique_ptr<GzipFile> gzip_;
  std::optional<FilePieces> plain_;
};

class PartBytes final : public Bytes {
 public:
  PartBytes(std::shared_ptr<Container> container, std::int64_t begin, std::int64_t end)
      : container_(std::move(container)), at_(begin), end_(end) {}

  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    const auto wanted = std::min<std::int64_t>(static_cast<std::int64_t>(capacity), end_ - at_);
    if (wanted <= 0) return 0;
    LADDER_TRY(const std::size_t count, container_->read_at(at_, buffer, static_cast<std::size_t>(wanted)));
    if (count == 0) return fail(Code::kInvalidRequest, "the archive is truncated here");
    at_ += static_cast<std::int64_t>(count);
    return count;
  }

 private:
  std::shared_ptr<Container> container_;
  std::int64_t at_, end_;
};

class TarTree final : public Tree {
 public:
  TarTree(std::string name, std::string place, std::shared_ptr<Container> container) : container_(std::move(container)) {
    name_ = std::move(name);
    place_ = std::move(place);
  }

  Result<std::unique_ptr<Bytes>> open_entry(EntryNo entry, std::int64_t from) override {
    const std::int64_t begin = begins_[entry], end = begin + entries_[entry].size;
    return std::make_unique<PartBytes>(container_, std::min(begin + from, end), end);
  }

  // A damaged header ends the listing; earlier entries are kept.
  void list() {
    Extra extra;
    for (std::int64_t at = 0;;) {
      Header header{};
      const auto count = container_->fill(at, header.data(), kBlock);
      if (!count) return refuse(name_, at, count.error().message);
      if (*count == 0 || is_zero(header)) {
        check_end(at);
        break;
      }
      if (*count < kBlock) return refuse(name_, at, "the archive is truncated here; the rest is not read");
      if (!checksum_holds(header)) return refuse(name_, at, "the archive is damaged here; the rest is not read");
      std::optional<std::int64_t> size = number_of(header, 124, 12);
      const char type = header[156];
      const bool is_meta = type == 'x' || type == 'g' || type == 'L' || type == 'K';
      if (!is_meta && extra.size) size = extra.size;
      if (!size || *size < 0 || *size > limits::kMaxEntryBytes) {
        return refuse(name_, at, "a header has an invalid size; the rest is not read");
      }
      if (is_meta) {
        if (*size > kMaxMetaBytes) return refuse(name_, at, "a header has an invalid size; the rest is not read");
        read_meta(type, at + static_cast<std::int64_t>(kBlock), *size, extra);
      } else {
        add(header, type, at + static_cast<std::int64_t>(kBlock), *size, extra);
        extra = {};
      }
      at += static_cast<std::int64_t>(kBlock) + (*size + static_cast<std::int64_t>(kBlock) - 1) /
                                                    static_cast<std::int64_t>(kBlock) * static_cast<std::int64_t>(kBlock);
    }
    finish();
  }

  // A gzip of one file that is not a tar.
  Status take_as_file(const std::string& path) {
    std::int64_t size = 0;
    std::array<char, 64 * 1024> passed;
    for (;;) {
      LADDER_TRY(const std::size_t count, container_->read_at(size, passed.data(), passed.size()));
      if (count == 0) break;
      size += static_cast<std::int64_t>(count);
    }
    entries_.push_back({path, size, std::nullopt});
    begins_.push_back(0);
    return {};
  }

  void finish() {
    std::vector<std::int64_t> begins;
    for (const std::size_t i : sort_entries()) begins.push_back(begins_[i]);
    begins_ = std::move(begins);
    places_.clear();
  }

 private:
  void refuse(std::string_view path, std::int64_t byte, std::string reason) {
    refusals_.push_back({{replace_invalid(path), byte}, std::move(reason)});
    if (byte >= 0) finish();
  }

  // The gzip checksum follows the tar, and reading entries never gets that far. Read on to verify it.
  void check_end(std::int64_t at) {
    std::array<char, 16 * 1024> passed;
    for (;;) {
      const auto count = container_->read_at(at, passed.data(), passed.size());
      if (!count) {
        const std::string reason =
            count.error().code == Code::kInvalidRequest
                ? format("{}, behind its last file: one of its files may be damaged", count.error().message)
                : count.error().message;
        return refusals_.push_back({{replace_invalid(name_), at}, reason});
      }
      if (*count == 0) return;
      at += static_cast<std::int64_t>(*count);
    }
  }

  void read_meta(char type, std::int64_t at, std::int64_t size, Extra& extra) {
    std::string text(static_cast<std::size_t>(size), '\0');
    const auto count = container_->fill(at, text.data(), text.size());
    if (!count || *count < text.size()) return;
    if (type == 'x') read_pax(text, extra);
    if (type == 'L') extra.path = text.substr(0, text.find('\0'));
    if (type == 'K') extra.link = text.substr(0, text.find('\0'));
  }

  void add(const Header& header, char type, std::int64_t begin, std::int64_t size, const Extra& extra) {
    std::string raw = extra.path;
    if (raw.empty()) {
      const std::string_view prefix = tar_text(header, 257, 5) == "ustar" ? tar_text(header, 345, 155) : std::string_view();
      raw = prefix.empty() ? std::string(tar_text(header, 0, 100)) : format("{}/{}", prefix, tar_text(header, 0, 100));
    }
    if (type == '5' || raw.ends_with('/')) return;
    if (type == 'S' || extra.sparse) {
      return refuse(extra.sparse && !extra.sparse->empty() ? *extra.sparse : raw, -1,
                    "sparse files are not supported; create the archive without --sparse, or import the folder");
    }
    if (type == '1') return add_hard_link(header, raw, extra);
    if (type == '2') return refusals_.push_back({{replace_invalid(raw), -1}, kLinkReason, true});
    if (type != '0' && type != '\0' && type != '7') return refuse(raw, -1, "not a regular file or folder");
    const auto path = entry_path(raw);
    if (!path) return refuse(raw, -1, path.error());
    if (is_clutter(*path)) return;
    add_entry(raw, {*path, size, number_of(header, 136, 12).value_or(0) * kSecond}, begin);
  }

  void add_entry(std::string_view raw, Entry entry, std::int64_t begin) {
    if (entries_.size() >= limits::kMaxEntries)
      return refuse(raw, -1, format("the archive contains more than {} files", limits::kMaxEntries));
    places_[entry.path] = entries_.size();
    entries_.push_back(std::move(entry));
    begins_.push_back(begin);
  }

  // A hard link to an earlier entry: it shares that entry's bytes.
  void add_hard_link(const Header& header, const std::string& raw, const Extra& extra) {
    const auto path = entry_path(raw);
    if (!path) return refuse(raw, -1, path.error());
    if (is_clutter(*path)) return;
    const auto target = entry_path(extra.link.empty() ? std::string(tar_text(header, 157, 100)) : extra.link);
    const auto found = target ? places_.find(*target) : places_.end();
    if (found == places_.end()) return refuse(raw, -1, "a hard link to a file that is not in the archive before it");
    const Entry& file = entries_[found->second];
    add_entry(raw, {*path, file.size, file.modified}, begins_[found->second]);
  }

  std::shared_ptr<Container> container_;
  std::vector<std::int64_t> begins_;                     // parallel to entries_: offset of the entry's bytes in the container
  std::unordered_map<std::string, std::size_t> places_;  // path → index into entries_, used during listing
};

}  // namespace

Result<std::unique_ptr<Tree>> open_tar(const std::string& name, const std::vector<std::filesystem::path>& pieces,
                                       const std::filesystem::path& root) {
  LADDER_TRY(FilePieces file, FilePieces::open(pieces, root));
  std::array<char, 2> magic{};
  LADDER_TRY(const std::size_t got, file.read_at(0, magic.data(), magic.size()));
  const bool packed = got == 2 && magic[0] == '\x1f' && magic[1] == '\x8b';
  auto container = std::make_shared<Container>(std::move(file), packed);
  auto tree = std::make_unique<TarTree>(name, replace_invalid(pieces.front().string()), container);
  Header header{};
  LADDER_TRY(const std::size_t first, container->fill(0, header.data(), kBlock));
  if (first == kBlock && checksum_holds(header)) {
    tree->list();
  } else if (packed) {
    LADDER_CHECK(tree->take_as_file(name));
  } else {
    return fail(Code::kInvalidRequest, "it is not a tar archive");
  }
  return tree;
}

}  // namespace ladder::imports
