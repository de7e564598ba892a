#include "import/formats/notion/notion_tree.h"

#include "import/text/text.h"

#include <algorithm>

namespace ladder::imports::notion {
namespace {

constexpr std::size_t kIdDigits = 32;
constexpr int kMaxDepth = 64;  // a page that contains itself would never end

bool is_id(std::string_view text) {
  return text.size() == kIdDigits && std::ranges::all_of(text, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

std::optional<FileKind> kind_of(const Entry& entry) {
  if (entry.has_extension(".md")) return FileKind::kMarkdown;
  if (entry.has_extension(".html")) return FileKind::kHtml;
  return entry.has_extension(".csv") ? std::optional(FileKind::kDatabase) : std::nullopt;
}

std::string below(std::string_view folder, std::string_view name) {
  return folder.empty() ? std::string(name) : std::string(folder) + "/" + std::string(name);
}

}  // namespace

std::optional<FileName> parse_file_name(std::string_view name) {
  std::string_view stem = without_extension(name);
  FileName out;
  constexpr std::string_view kAll = "_all";
  if (stem.ends_with(kAll)) {
    out.has_all_rows = true;
    stem.remove_suffix(kAll.size());
  }
  if (stem.size() < kIdDigits || !is_id(stem.substr(stem.size() - kIdDigits))) return std::nullopt;
  out.id = stem.substr(stem.size() - kIdDigits);
  stem.remove_suffix(kIdDigits);
  if (!stem.empty() && !stem.ends_with(' ')) return std::nullopt;
  out.title = trim(stem);
  return out;
}

std::string id_in(std::string_view link) {
  link = link.substr(0, link.find_first_of("?#"));
  std::string_view name = last_component(link);
  for (const std::string_view ending : {".md", ".html", ".csv"}) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  if (name.size() < kIdDigits || !is_id(name.substr(name.size() - kIdDigits))) return {};
  return std::string(name.substr(name.size() - kIdDigits));
}

PageTree::PageTree(const Tree& tree) {
  const auto& entries = tree.entries();
  for (EntryNo i = 0; i < entries.size(); ++i) {
    const auto kind = kind_of(entries[i]);
    auto name = kind ? parse_file_name(entries[i].name()) : std::nullopt;
    if (!name) continue;
    const auto [known, fresh] = by_id_.try_emplace(name->id, pages_.size());
    if (!fresh) {
      // The same page in two formats, or a database with its view and with all rows.
      Page& page = pages_[known->second];
      if (name->has_all_rows) page.entry = i;
      continue;
    }
    const std::string_view stem = without_extension(entries[i].name());
    folders_.try_emplace(below(entries[i].folder(), stem), name->id);
    folders_.try_emplace(below(entries[i].folder(), name->title + " " + name->id), name->id);
    if (!name->title.empty()) folders_.try_emplace(below(entries[i].folder(), name->title), name->id);
    pages_.push_back({i, *kind, *std::move(name), {}});
  }
  for (Page& page : pages_) {
    page.parent = owner_of(entries[page.entry].folder());
    if (page.parent == page.name.id) page.parent.clear();
  }
}

const Page* PageTree::find(std::string_view id) const {
  const auto found = by_id_.find(std::string(id));
  return found == by_id_.end() ? nullptr : &pages_[found->second];
}

std::string PageTree::owner_of(std::string_view folder) const {
  for (; !folder.empty(); folder = parent_folder(folder)) {
    if (const auto found = folders_.find(std::string(folder)); found != folders_.end()) return found->second;
  }
  return {};
}

std::string PageTree::path_to(const Page& page) const {
  std::string path;
  const Page* at = find(page.parent);
  for (int depth = 0; at != nullptr && depth < kMaxDepth; at = find(at->parent), ++depth) {
    path = path.empty() ? at->name.title : at->name.title + " / " + path;
  }
  return path;
}

}  // namespace ladder::imports::notion
