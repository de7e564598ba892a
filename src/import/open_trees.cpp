// Paths → trees. What kind of archive a file is, its first bytes say; which parts belong together, their names.
#include "base/format.h"
#include "import/archive_names.h"
#include "import/text.h"
#include "import/trees.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>

namespace ladder::imports {
namespace {

namespace fs = std::filesystem;

enum class Kind { kPlain, kZip, kTar };

Kind kind_of(const fs::path& path) {
  std::array<char, 512> head{};
  std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  const std::string_view text(head.data(), head.size());
  using namespace std::string_view_literals;
  if (text.starts_with("PK\x03\x04"sv) || text.starts_with("PK\x05\x06"sv)) return Kind::kZip;
  if (text.starts_with("\x1f\x8b"sv) || text.substr(257, 5) == "ustar") return Kind::kTar;
  return Kind::kPlain;
}

class Opener {
 public:
  explicit Opener(const SignOfLife& alive) : alive_(alive) {}

  void take(const std::string& given) {
    const fs::path path = fs::path(given).lexically_normal();
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (error || !fs::exists(status)) return refuse(given, "there is no such file or folder");
    if (fs::is_directory(status)) return take_folder(path);
    if (!fs::is_regular_file(status)) return refuse(given, "neither a file nor a folder");
    take_file(fs::absolute(path, error));
  }

  OpenedTrees finish() {
    for (const fs::path& archive : found_archives_) take_archive_file(archive);
    for (auto& [folder, files] : plain_) opened_.trees.push_back(open_files(folder, files));
    for (auto& [stem, pieces] : pieces_) open_pieces(pieces);
    for (auto& [stem, parts] : parts_) {
      if (parts.size() == 1) opened_.trees.push_back(std::move(parts.front()));
      else opened_.trees.push_back(join_trees(fs::path(stem).filename().string(), std::move(parts)));
    }
    std::ranges::stable_sort(opened_.trees, {}, [](const auto& tree) { return tree->name(); });
    return std::move(opened_);
  }

 private:
  void refuse(const std::string& path, std::string reason) {
    opened_.refusals.push_back({{replace_invalid(path), -1}, std::move(reason)});
  }

  void take_folder(const fs::path& folder) {
    auto tree = open_folder(folder, found_archives_, alive_);
    if (!tree) return refuse(folder.string(), tree.error().message);
    opened_.trees.push_back(std::move(*tree));
  }

  void take_file(const fs::path& file) {
    const std::string name = file.filename().string();
    if (is_archive_name(name) || kind_of(file) != Kind::kPlain) return take_archive_file(file);
    auto& files = plain_[file.parent_path()];
    if (std::ranges::find(files, file) == files.end()) files.push_back(file);
  }

  void take_archive_file(const fs::path& file) {
    std::error_code error;
    const fs::path whole = fs::absolute(file, error);
    auto& pieces = pieces_[(whole.parent_path() / without_piece_number(whole.filename().string())).string()];
    if (std::ranges::find(pieces, whole) == pieces.end()) pieces.push_back(whole);
  }

  void open_pieces(std::vector<fs::path>& pieces) {
    std::ranges::sort(pieces);
    const Kind kind = kind_of(pieces.front());
    const std::string first = pieces.front().filename().string();
    const bool is_piece = without_piece_number(first) != first;
    if (kind == Kind::kPlain) {
      return refuse(pieces.front().string(), is_piece ? "it is no first piece of an archive; name all of the pieces together"
                                                      : "it is named like an archive and is none");
    }
    const std::string name =
        without_part_number(without_ending(without_piece_number(replace_invalid(pieces.front().filename().string()))));
    auto tree = kind == Kind::kZip ? open_zip(name, pieces) : open_tar(name, pieces);
    if (!tree) {
      return refuse(pieces.front().string(), is_piece ? format("{}; is one of its pieces missing? {} of them are here",
                                                               tree.error().message, pieces.size())
                                                      : tree.error().message);
    }
    parts_[(pieces.front().parent_path() / name).string()].push_back(std::move(*tree));
  }

  OpenedTrees opened_;
  std::vector<fs::path> found_archives_;
  const SignOfLife& alive_;
  std::map<fs::path, std::vector<fs::path>> plain_;                  // folder → files given by themselves
  std::map<std::string, std::vector<fs::path>> pieces_;              // archive → the files it is cut into
  std::map<std::string, std::vector<std::unique_ptr<Tree>>> parts_;  // export → its archives, in the order of their names
};

}  // namespace

OpenedTrees open_trees(std::span<const std::string> paths, const SignOfLife& alive) {
  Opener opener(alive);
  for (const std::string& path : paths) opener.take(path);
  return opener.finish();
}

}  // namespace ladder::imports
