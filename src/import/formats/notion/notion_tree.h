// The pages of a Notion export by the names of their files: "Title 0123456789abcdef0123456789abcdef.md". The subpages, rows and
// files of a page are in a folder that has its name, with the id or, in newer exports, without.
#pragma once

#include "import/tree/tree.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ladder::imports::notion {

struct FileName {
  std::string id;             // 32 hex digits
  std::string title;          // possibly shortened
  bool has_all_rows = false;  // "Tasks 0123…_all.csv"
};
std::optional<FileName> parse_file_name(std::string_view name);

// Returns the id in the last component of an address or path; "" if there is none.
std::string id_in(std::string_view link);

enum class FileKind { kMarkdown, kHtml, kDatabase };

struct Page {
  EntryNo entry = 0;  // of a database: the file with all rows, if there is one
  FileKind kind = FileKind::kMarkdown;
  FileName name;
  std::string parent;  // the id of the page or database that contains it; "" at the top
};

class PageTree {
 public:
  explicit PageTree(const Tree& tree);

  const std::vector<Page>& pages() const { return pages_; }  // in order of their files
  const Page* find(std::string_view id) const;
  // Returns the id of the page whose folder contains the file, directly or not; "" if there is none.
  std::string owner_of(std::string_view folder) const;
  // Returns the titles of the pages around a page, from the top: "Home / Projects".
  std::string path_to(const Page& page) const;

 private:
  std::vector<Page> pages_;
  std::unordered_map<std::string, std::size_t> by_id_;
  std::unordered_map<std::string, std::string> folders_;  // folder → id of its page
};

}  // namespace ladder::imports::notion
