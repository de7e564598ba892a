// Opens paths as trees. The first bytes of a file determine its kind, and names determine which parts belong together.
#include "base/text/format.h"
#include "import/io/bytes.h"
#include "import/io/limits.h"
#include "import/text/text.h"
#include "import/tree/archive_names.h"
#include "import/tree/tree.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace ladder::imports {
namespace {

namespace fs = std::filesystem;

enum class Kind { kPlain, kZip, kTar, kUnread };

// Signatures of archives that cannot be read: xz, bzip2 (followed by its level), zstd, 7-Zip and RAR.
bool is_unread(std::string_view head) {
  return head.starts_with("\xFD\x37zXZ") || (head.starts_with("BZh") && head.substr(4).starts_with("1AY&SY")) ||
         head.starts_with("\x28\xB5\x2F\xFD") || head.starts_with("7z\xBC\xAF\x27") || head.starts_with("Rar!\x1A");
}

// Office files and books are zips, but they are read as documents. Their first entry says so.
bool is_document(std::string_view zip) {
  constexpr std::size_t kNameOffset = 30;
  const std::string_view name = zip.size() > kNameOffset ? zip.substr(kNameOffset) : std::string_view();
  return std::ranges::any_of(std::array{"mimetype", "[Content_Types].xml", "_rels/.rels", "docProps/", "word/", "xl/", "ppt/"},
                             [&](std::string_view first) { return name.starts_with(first); });
}

Result<Kind> kind_of(const fs::path& path, const fs::path& root) {
  std::array<char, 512> head{};
  LADDER_TRY(const FilePieces file, FilePieces::open({path}, root));
  LADDER_CHECK(file.read_at(0, head.data(), head.size()));
  const std::string_view text(head.data(), head.size());
  using namespace std::string_view_literals;
  if (text.starts_with("PK\x03\x04"sv) && is_document(text)) return Kind::kPlain;
  if (text.starts_with("PK\x03\x04"sv) || text.starts_with("PK\x05\x06"sv)) return Kind::kZip;
  if (text.starts_with("\x1f\x8b"sv) || text.substr(257, 5) == "ustar") return Kind::kTar;
  return is_unread(text) ? Kind::kUnread : Kind::kPlain;
}

// Notion's exports are zips of zips: "Export-0123…-Part-1.zip" at the top, and nothing else.
bool has_only_inner_exports(const Tree& tree) {
  return !tree.entries().empty() && std::ranges::all_of(tree.entries(), [](const Entry& entry) {
    return entry.folder().empty() && starts_with_ignoring_case(entry.name(), "export-") && entry.has_extension(".zip");
  });
}

// Returns a tree of the files in the inner archives. They are held in memory, because the process cannot write files.
Result<std::unique_ptr<Tree>> open_inner_exports(Tree& outer) {
  std::vector<std::unique_ptr<Tree>> parts;
  std::size_t left = limits::kMaxInnerArchiveBytes;
  for (EntryNo i = 0; i < outer.entries().size(); ++i) {
    auto bytes = outer.read(i, left);
    if (!bytes) {
      return fail(Code::kResourceLimit,
                  format("the archives in it cannot be opened ({}); unpack it and import the folder", bytes.error().message));
    }
    left -= bytes->size();
    LADDER_TRY(auto part, open_inner_zip(outer.name(), outer.place(), *std::move(bytes)));
    parts.push_back(std::move(part));
  }
  return parts.size() == 1 ? std::move(parts.front()) : join_trees(outer.name(), std::move(parts));
}

class Opener {
 public:
  Opener(const Heartbeat& alive, FoundArchives found) : alive_(alive), found_(found) {}

  void take(const std::string& given) {
    const fs::path path = fs::path(given).lexically_normal();
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (error || !fs::exists(status)) return refuse(given, "no such file or folder");
    if (fs::is_directory(status)) return take_folder(path);
    if (!fs::is_regular_file(status)) return refuse(given, "not a regular file or folder");
    take_file(fs::absolute(path, error));
  }

  OpenedTrees finish() {
    for (auto& [folder, files] : plain_) opened_.trees.push_back(open_files(folder, files));
    for (auto& [path, archive] : archives_) open_archive(archive);
    for (auto& [path, of] : exports_) {
      auto tree = of.parts.size() == 1 ? std::move(of.parts.front()) : join_trees(of.name, std::move(of.parts));
      if (of.folder) folders_[*of.folder].archives.push_back({of.path_in_folder, std::move(tree)});
      else opened_.trees.push_back(std::move(tree));
    }
    for (Folder& folder : folders_) {
      opened_.trees.push_back(folder.archives.empty() ? std::move(folder.tree)
                                                      : join_archives(std::move(folder.tree), std::move(folder.archives)));
    }
    std::ranges::stable_sort(opened_.trees, {}, [](const auto& tree) { return tree->name(); });
    return std::move(opened_);
  }

 private:
  struct Archive {
    std::vector<fs::path> pieces;            // the files it is split into
    fs::path root;                           // the folder it was found in; "" if it was named directly
    std::optional<std::size_t> folder = {};  // the index of that folder in folders_, if the archive is read as part of it
  };
  struct Folder {
    std::unique_ptr<Tree> tree;
    std::vector<ArchiveInFolder> archives;
  };
  struct Export {
    std::string name;
    std::optional<std::size_t> folder;
    std::string path_in_folder;
    std::vector<std::unique_ptr<Tree>> parts;  // ordered by name
  };

  void refuse(const std::string& path, std::string reason) {
    opened_.refusals.push_back({{replace_invalid(path), -1}, std::move(reason)});
  }

  void take_folder(const fs::path& folder) {
    std::vector<fs::path> archives;
    auto tree = open_folder(folder, archives, alive_);
    if (!tree) return refuse(folder.string(), tree.error().message);
    folders_.push_back({std::move(*tree), {}});
    std::error_code error;
    const fs::path root = fs::absolute(folder.has_filename() ? folder : folder.parent_path(), error);
    for (const fs::path& archive : archives) {
      take_archive_file(archive, root).folder =
          found_ == FoundArchives::kAsFolders ? std::optional(folders_.size() - 1) : std::nullopt;
    }
  }

  void take_file(const fs::path& file) {
    const std::string name = file.filename().string();
    if (is_archive_name(name) || kind_of(file, {}).value_or(Kind::kPlain) != Kind::kPlain) {
      take_archive_file(file, {}).folder.reset();
      return;
    }
    auto& files = plain_[file.parent_path()];
    if (std::ranges::find(files, file) == files.end()) files.push_back(file);
  }

  Archive& take_archive_file(const fs::path& file, const fs::path& root) {
    std::error_code error;
    const fs::path whole = fs::absolute(file, error);
    Archive& archive = archives_[(whole.parent_path() / without_piece_number(whole.filename().string())).string()];
    archive.root = root;
    if (std::ranges::find(archive.pieces, whole) == archive.pieces.end()) archive.pieces.push_back(whole);
    return archive;
  }

  void open_archive(Archive& archive) {
    alive_();
    std::vector<fs::path>& pieces = archive.pieces;
    std::ranges::sort(pieces);
    const auto looked = kind_of(pieces.front(), archive.root);
    if (!looked) return refuse(pieces.front().string(), looked.error().message);
    const Kind kind = *looked;
    const std::string first = pieces.front().filename().string();
    const bool is_piece = without_piece_number(first) != first;
    if (kind == Kind::kUnread) {
      return refuse(pieces.front().string(), "unsupported archive format; unpack it and import the folder");
    }
    if (kind == Kind::kPlain) {
      return refuse(pieces.front().string(), is_piece ? "it is not the first piece of an archive; name all pieces together"
                                                      : "it has an archive's file name but is not an archive");
    }
    const std::string stem = without_ending(without_piece_number(replace_invalid(pieces.front().filename().string())));
    const std::string name = without_part_number(stem);
    auto tree = kind == Kind::kZip ? open_zip(name, pieces, archive.root) : open_tar(name, pieces, archive.root);
    if (!tree) {
      return refuse(pieces.front().string(), is_piece ? format("{}; is one of its pieces missing? {} of them are here",
                                                               tree.error().message, pieces.size())
                                                      : tree.error().message);
    }
    if (has_only_inner_exports(**tree)) {
      auto inner = open_inner_exports(**tree);
      if (!inner) return refuse(pieces.front().string(), inner.error().message);
      tree = std::move(inner);
    }
    // Only a part number makes an archive part of an export; archives of the same name are otherwise separate.
    Export& of = exports_[(pieces.front().parent_path() / (name == stem ? pieces.front().filename() : fs::path(name))).string()];
    of.name = name;
    of.folder = archive.folder;
    of.parts.push_back(std::move(*tree));
    if (!of.folder || !of.path_in_folder.empty()) return;
    const std::string ending = without_piece_number(first).substr(without_ending(without_piece_number(first)).size());
    const fs::path shown = pieces.front().parent_path() / (name + ending);
    const auto path = entry_path(shown.lexically_relative(archive.root).string());
    if (path) of.path_in_folder = *path;
    else of.folder.reset();  // a separate tree
  }

  OpenedTrees opened_;
  const Heartbeat& alive_;
  const FoundArchives found_;
  std::vector<Folder> folders_;
  std::map<fs::path, std::vector<fs::path>> plain_;  // folder → files that were named directly
  std::map<std::string, Archive> archives_;          // by path without the piece number
  std::map<std::string, Export> exports_;            // by folder and name
};

}  // namespace

OpenedTrees open_trees(std::span<const std::string> paths, const Heartbeat& alive, FoundArchives found) {
  Opener opener(alive, found);
  for (const std::string& path : paths) opener.take(path);
  return opener.finish();
}

}  // namespace ladder::imports
