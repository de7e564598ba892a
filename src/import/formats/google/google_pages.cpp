// The page is a sequence of cells, each with the product, what the owner did, and the date as a sentence in the owner's language.
// Only one cell is in memory.
#include "import/formats/google/google_pages.h"

#include "base/text/format.h"
#include "import/formats/flat/flat_value.h"
#include "import/formats/record_members.h"
#include "import/html/html_text.h"
#include "import/io/limits.h"
#include "import/text/text.h"
#include "json/writer.h"

#include <algorithm>
#include <vector>

namespace ladder::imports::google {
namespace {

constexpr std::string_view kCell = "class=\"outer-cell", kContent = "class=\"content-cell", kHeader = "class=\"header-cell";
constexpr std::size_t kSearchedBytes = 512 * limits::kKiB;
constexpr std::size_t kMaxCellBytes = 1 * limits::kMiB;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// Returns the lines of the text after the tag in which `html` begins.
std::vector<std::string> lines_of(std::string_view html, std::vector<std::string>* links = nullptr) {
  html.remove_prefix(std::min(html.find('>'), html.size() - 1) + 1);
  HtmlText read = html_to_text(html, "utf-8");
  replace_all(read.text, "\u00A0", " ");
  replace_all(read.text, "\u202F", " ");
  if (links != nullptr) *links = std::move(read.links);
  std::vector<std::string> lines;
  for (std::string_view rest = read.text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (const std::string_view line = trim(rest.substr(0, end)); !line.empty()) lines.emplace_back(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return lines;
}

struct WrittenDate {
  std::optional<Instant> time;
  bool is_certain = false;  // in UTC
};

// "Mar 8, 2018, 5:14:40 PM UTC". The zone is the one of the export, also for dates in the other half of the year.
WrittenDate read_date(std::string_view text, flat::ColumnZone& zones) {
  const std::string line(text);
  if (line.find(':') == std::string::npos) return {};
  const std::size_t space = line.rfind(' ');
  const std::string zone = space == std::string::npos ? std::string() : line.substr(space + 1);
  const std::string lower = lower_ascii(zone);
  const bool names_zone = zone.size() >= 2 && lower != "am" && lower != "pm" && !is_digit(zone.front());
  const auto local = flat::read_date(names_zone ? std::string_view(line).substr(0, space) : line, "MDY");
  if (!local) return {};
  if (!names_zone || zone == "UTC" || zone == "GMT") return {local, true};
  const auto time = zones.instant(zone, *local);
  return {time ? time : local, false};
}

class PageReader {
 public:
  PageReader(const Entry& entry, Sink& sink) : entry_(entry), sink_(sink) {}

  Status run(Bytes& bytes) {
    Pieces pieces(bytes, limits::kMiB);
    std::string buffer;
    std::int64_t base = 0;
    bool is_inside = false;
    for (;;) {
      const std::size_t next = buffer.find(kCell, is_inside ? kCell.size() : 0);
      if (next != std::string::npos) {
        if (is_inside) LADDER_CHECK(cell(std::string_view(buffer).substr(0, next), base));
        buffer.erase(0, next);
        base += static_cast<std::int64_t>(next);
        is_inside = true;
        continue;
      }
      if (!is_inside && buffer.size() > kCell.size()) {
        base += static_cast<std::int64_t>(buffer.size() - kCell.size());
        buffer.erase(0, buffer.size() - kCell.size());
      }
      if (buffer.size() > kMaxCellBytes) {
        LADDER_CHECK(sink_.lost({entry_.path, base}, format("an activity with more than {} bytes", kMaxCellBytes)));
        base += static_cast<std::int64_t>(buffer.size());
        buffer.clear();
        is_inside = false;
      }
      const auto count = pieces.append_to(buffer);
      if (!count) {
        if (count.error().code == Code::kCancelled) return std::unexpected(count.error());
        return sink_.lost({entry_.path, base}, count.error().message);
      }
      if (*count == 0) break;
    }
    return is_inside ? cell(buffer, base) : Status();
  }

 private:
  Status cell(std::string_view html, std::int64_t offset) {
    std::vector<std::string_view> parts;
    std::size_t begin = html.find(kContent);
    const std::string_view head = html.substr(0, begin);
    while (begin != std::string_view::npos) {
      const std::size_t end = html.find(kContent, begin + 1);
      parts.push_back(html.substr(begin, end == std::string_view::npos ? end : end - begin));
      begin = end;
    }
    const wire::FileLocation place{entry_.path, offset};
    if (parts.empty()) return sink_.lost(place, "an activity without a content");
    const std::size_t header = head.find(kHeader);
    const auto names = header == std::string_view::npos ? std::vector<std::string>() : lines_of(head.substr(header));
    const std::string product = names.empty() ? std::string() : names.front();
    std::vector<std::string> links;
    std::vector<std::string> lines = lines_of(parts.front(), &links);
    if (lines.empty()) return sink_.lost(place, "an activity without a title");
    // The date is the last line.
    const std::string written = lines.size() > 1 ? lines.back() : std::string();
    const WrittenDate date = read_date(written, zones_);
    if (lines.size() > 1) lines.pop_back();
    std::string more;
    const auto add = [&](const std::string& line) { more.append(more.empty() ? "" : "\n").append(line); };
    std::for_each(lines.begin() + 1, lines.end(), add);
    // The rest has labels and values: "Products:", "Search".
    for (std::size_t i = 1; i < parts.size(); ++i) {
      for (const std::string& line : lines_of(parts[i])) {
        if (!line.ends_with(':') && line != product) add(line);
      }
    }
    const std::string url = links.empty() ? std::string() : links.front();
    const std::string when = date.time ? format_time(*date.time) : written;
    json::Writer out;
    out.begin_object().member("id", ids_.next({product, lines.front(), url, when}));
    optional_time_member(out, "at", date.time);
    out.optional_member("product", product).member("title", lines.front()).optional_member("url", url);
    out.optional_member("text", more);
    if (!date.is_certain) out.optional_member("date_text", written);
    out.end_object();
    if (!date.time) LADDER_CHECK(sink_.skipped("activity", "a date in a language that is not read (the activity is imported)"));
    return sink_.record({"activity", out.take(), place, date.time});
  }

  const Entry& entry_;
  Sink& sink_;
  flat::ColumnZone zones_;
  DerivedIds ids_;
};

}  // namespace

bool is_activity_page(Tree& tree, EntryNo entry) {
  if (!tree.entries()[entry].has_extension(".html")) return false;
  const auto bytes = tree.open(entry);
  if (!bytes) return false;
  Pieces pieces(**bytes, kSearchedBytes / 4);
  std::string start;
  while (start.size() < kSearchedBytes) {
    const auto count = pieces.append_to(start);
    if (!count || *count == 0) break;
  }
  return start.find(kCell) != std::string::npos && start.find(kContent) != std::string::npos;
}

Status send_activity_page(Tree& tree, EntryNo entry, Sink& sink) {
  const Entry& file = tree.entries()[entry];
  const auto bytes = tree.open(entry);
  if (!bytes) return sink.lost({file.path, -1}, bytes.error().message);
  return PageReader(file, sink).run(**bytes);
}

}  // namespace ladder::imports::google
