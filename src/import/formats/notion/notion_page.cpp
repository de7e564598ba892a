#include "import/formats/notion/notion_page.h"

#include "base/text/percent.h"
#include "import/formats/flat/flat_value.h"
#include "import/formats/notion/notion_tree.h"
#include "import/html/html_text.h"
#include "import/text/markdown.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>
#include <span>

namespace ladder::imports::notion {
namespace {

constexpr std::size_t kMaxProperties = 500;
constexpr std::size_t kMaxNameBytes = 200;  // of a property

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

void skip_empty_lines(std::string_view& rest) {
  while (rest.starts_with('\n')) rest.remove_prefix(1);
}

void sort_links(const std::vector<std::string>& all, PageText& page) {
  for (const std::string& link : all) {
    const bool is_address = link.find("://") != std::string::npos;
    std::string id = id_in(percent_decode_bytes(link).value_or(link));
    const bool is_page = !id.empty() && (!is_address || link.find("notion.") != std::string::npos);
    std::vector<std::string>& to = is_page ? page.linked_pages : page.links;
    if (!is_page && !is_address) continue;  // a file, which has a record of its own
    std::string value = is_page ? std::move(id) : link;
    if (std::ranges::find(to, value) == to.end()) to.push_back(std::move(value));
  }
}

std::optional<Instant> date_in(const Properties& properties, std::span<const std::string_view> names) {
  for (const auto& [name, value] : properties) {
    if (std::ranges::find(names, lower_ascii(name)) == names.end()) continue;
    std::string_view written = trim(value);
    if (written.starts_with('@')) written.remove_prefix(1);
    if (const auto time = flat::read_date(written, "MDY")) return time;
  }
  return std::nullopt;
}

}  // namespace

PageText read_markdown_page(std::string text, bool is_row) {
  PageText page;
  std::string_view rest = without_mark(text);
  if (rest.starts_with("# ")) {
    page.title = trim(take_line(rest).substr(2));
    skip_empty_lines(rest);
  }
  for (std::string_view after = rest; is_row && page.properties.size() < kMaxProperties;) {
    const std::string_view line = take_line(after);
    const std::size_t colon = line.find(": ");
    if (colon == 0 || colon == std::string_view::npos || colon > kMaxNameBytes || line.front() == '-' || line.front() == '#')
      break;
    page.properties.emplace_back(line.substr(0, colon), trim(line.substr(colon + 2)));
    rest = after;
  }
  skip_empty_lines(rest);
  page.text = trim(rest);
  MarkdownInfo info = read_markdown(page.text);
  sort_links(info.links, page);
  return page;
}

PageText read_html_page(std::string_view bytes) {
  PageText page;
  HtmlText read = html_to_text(bytes);
  page.title = std::move(read.title);
  page.text = std::move(read.text);
  page.is_cut = read.is_cut;
  sort_links(read.links, page);
  return page;
}

std::optional<Instant> created_in(const Properties& properties) {
  constexpr std::array<std::string_view, 4> kNames = {"created", "created time", "created at", "date created"};
  return date_in(properties, kNames);
}

std::optional<Instant> edited_in(const Properties& properties) {
  constexpr std::array<std::string_view, 5> kNames = {"last edited", "last edited time", "edited", "updated", "updated at"};
  return date_in(properties, kNames);
}

}  // namespace ladder::imports::notion
