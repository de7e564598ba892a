#include "cli/record_view.h"

#include "base/columns.h"
#include "base/format.h"
#include "base/utf8.h"
#include "cli/visible_text.h"
#include "json/scan.h"
#include "model/record_id.h"

#include <algorithm>
#include <map>

namespace ladder::cli {
namespace {

using port::Record;

constexpr std::int64_t kCellColumns = 36, kCellChars = 400;
constexpr std::size_t kBetween = 2;  // columns are that far apart

using Cells = std::map<std::string, std::string>;

std::string cell(const json::Value& value) {
  std::string text = value.kind == json::Kind::kString ? json::decode_string(json::raw_content(value)) : std::string(value.text);
  if (utf8::count(text) > kCellChars) text = std::string(utf8::slice(text, 0, kCellChars)) + "…";  // no more is looked at
  return cut_to_columns(visible_label(text), kCellColumns);
}

std::string related(const port::Expansion& expansion) {
  if (!expansion.has_many) return expansion.records.empty() ? "-" : visible_label(expansion.records.front().ref.record_id);
  return format("{}{} records", expansion.records.size(), expansion.has_more ? "+" : "");
}

Cells cells_of(const Record& record, std::vector<std::string>& names) {
  Cells cells;
  const auto put = [&](const std::string& name, std::string text) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    cells[name] = std::move(text);
  };
  if (record.deleted) {
    put("deleted", record.deleted_at.empty() ? "yes" : record.deleted_at);
    return cells;
  }
  for (const port::Expansion& expansion : record.expanded) put(expansion.name, related(expansion));  // asked for, so first
  for (json::Members member(record.data); member.next();) put(json::decode_string(member.raw_name()), cell(member.value()));
  // An object or array over the bound comes as null, which it is not.
  for (const port::CutField& cut : record.cut) {
    if (cut.type != "string" && cells.contains(cut.path)) cells[cut.path] = cut.type == "object" ? "{…}" : "[…]";
  }
  return cells;
}

std::string as_table(const Console& console, const std::vector<Record>& records, std::vector<std::string> names) {
  std::vector<Cells> cells;
  cells.reserve(records.size());
  for (const Record& record : records) cells.push_back(cells_of(record, names));
  std::vector<std::vector<std::string>> rows = {{"RECORD"}};
  std::int64_t width = 0;
  for (const Record& record : records) {
    rows.push_back({visible_label(model::format_record_id(record.ref))});
    width = std::max(width, columns_of(rows.back().front()));
  }
  std::size_t shown = 0;
  for (const std::string& name : names) {
    const std::string heading = visible_label(name);
    std::int64_t column = columns_of(heading);
    for (const Cells& one : cells) {
      if (const auto found = one.find(name); found != one.end()) column = std::max(column, columns_of(found->second));
    }
    if (shown > 0 && static_cast<std::size_t>(width + column) + kBetween > console.out_columns()) break;
    width += column + static_cast<std::int64_t>(kBetween);
    rows.front().push_back(heading);
    for (std::size_t at = 0; at < cells.size(); ++at) {
      const auto found = cells[at].find(name);
      rows[at + 1].push_back(found == cells[at].end() ? "" : found->second);
    }
    ++shown;
  }
  std::string out = table_or_lines(console, rows);
  if (shown < names.size()) out += format("{} more fields; --fields NAME,… chooses, --json shows all\n", names.size() - shown);
  return out;
}

void append_line(std::string& out, const Record& record, std::string_view before) {
  out += before;
  out += model::format_record_id(record.ref) + "\t";
  out += record.deleted ? format("deleted\t{}", record.deleted_at) : record.data;
  out += '\n';
  for (const port::Expansion& expansion : record.expanded) {
    for (const Record& child : expansion.records) append_line(out, child, expansion.name + "\t");
  }
}

}  // namespace

std::string records_text(const Console& console, const std::vector<Record>& records, const std::vector<std::string>& fields) {
  if (console.out_is_terminal()) return records.empty() ? "" : as_table(console, records, fields);
  std::string out;
  for (const Record& record : records) append_line(out, record, "");
  return out;
}

}  // namespace ladder::cli
