#include "cli/terminal/record_table.h"

#include "base/text/columns.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "cli/terminal/search_results.h"
#include "cli/terminal/short_ids.h"
#include "cli/terminal/visible_text.h"
#include "json/scan/scan.h"
#include "model/record_id.h"

#include <algorithm>
#include <map>

namespace ladder::cli {
namespace {

using api::Record;

constexpr std::int64_t kCellColumns = 36, kAuthorColumns = 24, kTextColumns = 200, kCellChars = 400;
constexpr std::size_t kBetween = 2;  // columns are that far apart
constexpr std::int64_t kLeastText = 10;
constexpr std::size_t kTimeColumns = 16;  // 2026-04-01 12:30
constexpr std::string_view kRecordHeading = "RECORD";

using Cells = std::map<std::string, std::string>;

std::string cell(const json::Value& value, std::int64_t columns) {
  std::string text = value.kind == json::Kind::kString ? json::decode_string(json::raw_content(value)) : std::string(value.text);
  if (utf8::count(text) > kCellChars) text = std::string(utf8::slice(text, 0, kCellChars)) + "…";  // no more is looked at
  std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return cut_to_columns(visible_label(text), columns);
}

std::string related(const api::Expansion& expansion) {
  if (!expansion.has_many) return expansion.records.empty() ? "-" : visible_label(expansion.records.front().ref.record_id);
  return format("{}{} records", expansion.records.size(), expansion.has_more ? "+" : "");
}

Cells cells_of(const Record& record, std::vector<std::string>& names, const StreamRoles& roles) {
  Cells cells;
  const auto put = [&](const std::string& name, std::string text) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    cells[name] = std::move(text);
  };
  if (record.deleted) {
    put("deleted", record.deleted_at.empty() ? "yes" : record.deleted_at);
    return cells;
  }
  for (const api::Expansion& expansion : record.expanded) put(expansion.name, related(expansion));  // asked for, so first
  for (json::Members member(record.data); member.next();) {
    const std::string name = json::decode_string(member.raw_name());
    put(name, cell(member.value(), name == roles.text ? kTextColumns : name == roles.author ? kAuthorColumns : kCellColumns));
  }
  // An object or array over the bound comes as null, which it is not.
  for (const api::CutField& cut : record.cut) {
    if (cut.type != "string" && cells.contains(cut.path)) cells[cut.path] = cut.type == "object" ? "{…}" : "[…]";
  }
  return cells;
}

// The columns of a page that nobody chose columns for: what the stream declares of title, author, time and text.
std::vector<std::string> role_columns(const std::vector<Record>& records, const StreamRoles& roles) {
  const bool related = std::ranges::any_of(records, [](const Record& record) { return !record.expanded.empty(); });
  if (related || (roles.title.empty() && roles.text.empty())) return {};
  std::vector<std::string> names = {roles.title, roles.author, roles.time, roles.text};
  std::erase(names, "");
  return names;
}

std::int64_t width_of(const std::vector<Cells>& cells, const std::string& name) {
  std::int64_t width = columns_of(visible_label(name));
  for (const Cells& one : cells) {
    if (const auto found = one.find(name); found != one.end()) width = std::max(width, columns_of(found->second));
  }
  return width;
}

std::string as_table(const Console& console, const std::vector<Record>& records, std::vector<std::string> names,
                     const StreamRoles& roles) {
  const bool chosen = !names.empty();
  const std::vector<std::string> by_role = chosen ? std::vector<std::string>() : role_columns(records, roles);
  std::vector<Cells> cells;
  std::vector<std::string> ids;
  std::int64_t width = columns_of(kRecordHeading);
  for (const Record& record : records) {
    cells.push_back(cells_of(record, names, roles));
    if (const auto time = cells.back().find(roles.time); time != cells.back().end() && !chosen)
      time->second = read_time(time->second).substr(0, kTimeColumns);
    ids.push_back(visible_label(short_id(record.ref)));
    width = std::max(width, columns_of(ids.back()));
  }
  const std::size_t all = names.size();
  if (!by_role.empty()) {
    names = by_role;
    if (std::ranges::any_of(records, &Record::deleted)) names.insert(names.begin(), "deleted");
  }
  std::vector<std::vector<std::string>> rows(records.size() + 1);
  std::size_t shown = 0;
  for (const std::string& name : names) {
    const std::int64_t room = static_cast<std::int64_t>(console.out_columns()) - width - static_cast<std::int64_t>(kBetween);
    std::int64_t column = width_of(cells, name);
    // The text takes what is left; other columns come whole or not at all.
    if (column > room && name == roles.text && room >= kLeastText) column = room;
    if (shown > 0 && column > room) {
      if (by_role.empty()) break;
      continue;  // what comes after it may be narrow
    }
    width += column + static_cast<std::int64_t>(kBetween);
    rows.front().push_back(visible_label(name));
    for (std::size_t at = 0; at < cells.size(); ++at) {
      const auto found = cells[at].find(name);
      rows[at + 1].push_back(found == cells[at].end() ? "" : cut_to_columns(found->second, column));
    }
    ++shown;
  }
  rows.front().emplace_back(kRecordHeading);
  for (std::size_t at = 0; at < ids.size(); ++at) rows[at + 1].push_back(ids[at]);
  std::string out = table_or_lines(console, rows);
  if (chosen && shown < all) out += format("{} more fields; --json shows all\n", all - shown);
  return out + "ladder show RECORD shows one whole\n";
}

void append_line(std::string& out, const Record& record, std::string_view before) {
  out += before;
  out += model::format_record_id(record.ref) + "\t";
  out += record.deleted ? format("deleted\t{}", record.deleted_at) : record.data;
  out += '\n';
  for (const api::Expansion& expansion : record.expanded) {
    for (const Record& child : expansion.records) append_line(out, child, expansion.name + "\t");
  }
}

}  // namespace

std::string records_text(const Console& console, const std::vector<Record>& records, const std::vector<std::string>& fields,
                         const RolesByStream& roles) {
  if (console.out_is_terminal())
    return records.empty() ? "" : as_table(console, records, fields, roles_of(roles, records.front().ref));
  std::string out;
  for (const Record& record : records) append_line(out, record, "");
  return out;
}

}  // namespace ladder::cli
