// ladder records: lists a page of a stream or of its changes; the same read as GET /v1/streams/{stream}/records.
#include "api/records.h"
#include "base/text/columns.h"
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/utf8.h"
#include "base/text/visible_text.h"
#include "cli/flags/read_flags.h"
#include "cli/invocation/command.h"
#include "cli/invocation/command_line.h"
#include "cli/invocation/failure.h"
#include "cli/terminal/console.h"
#include "cli/terminal/last_list.h"
#include "cli/terminal/search_results.h"
#include "cli/terminal/short_ids.h"
#include "cli/terminal/stream_roles.h"
#include "json/scan/scan.h"
#include "model/record_id.h"
#include "rest/arguments.h"
#include "rest/render.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace ladder::cli {
namespace {

using api::Record;

constexpr std::int64_t kShownChars = 200;  // maximum chars of a value on a terminal; the store cuts longer values
constexpr std::int64_t kCellColumns = 36, kAuthorColumns = 24, kTextColumns = 200, kCellChars = 400;
constexpr std::size_t kBetween = 2;  // spaces between columns
constexpr std::int64_t kLeastText = 10;
constexpr std::size_t kTimeColumns = 16;  // 2026-04-01 12:30
constexpr std::string_view kRecordHeading = "RECORD", kNumberHeading = "#";

using Cells = std::map<std::string, std::string>;

std::string cell(const json::Value& value, std::int64_t columns) {
  std::string text = value.kind == json::Kind::kString ? json::decode_string(json::raw_content(value)) : std::string(value.text);
  if (utf8::count(text) > kCellChars) text = std::string(utf8::slice(text, 0, kCellChars)) + "…";  // bounds the measured text
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
  for (const api::Expansion& expansion : record.expanded) put(expansion.name, related(expansion));  // requested, so first
  for (json::Members member(record.data); member.next();) {
    const std::string name = json::decode_string(member.raw_name());
    put(name, cell(member.value(), name == roles.text ? kTextColumns : name == roles.author ? kAuthorColumns : kCellColumns));
  }
  // An object or array over the limit is returned as null; mark it as cut instead.
  for (const api::CutField& cut : record.cut) {
    if (cut.type != "string" && cells.contains(cut.path)) cells[cut.path] = cut.type == "object" ? "{…}" : "[…]";
  }
  return cells;
}

// Chooses the default columns of a page: the declared title, author, time and text fields.
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
                     const StreamRoles& roles, std::optional<std::size_t> first) {
  const bool chosen = !names.empty();
  const std::vector<std::string> by_role = chosen ? std::vector<std::string>() : role_columns(records, roles);
  std::vector<Cells> cells;
  std::vector<std::string> ids;
  const std::string_view heading = first ? kNumberHeading : kRecordHeading;
  std::int64_t width = columns_of(heading);
  for (const Record& record : records) {
    cells.push_back(cells_of(record, names, roles));
    if (const auto time = cells.back().find(roles.time); time != cells.back().end() && !chosen)
      time->second = read_time(time->second).substr(0, kTimeColumns);
    ids.push_back(first ? format("{}", *first + ids.size()) : visible_label(short_id(record.ref)));
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
    // The text column gets the remaining width; other columns are shown whole or not at all.
    if (column > room && name == roles.text && room >= kLeastText) column = room;
    if (shown > 0 && column > room) {
      if (by_role.empty()) break;
      continue;  // later columns may be narrower
    }
    width += column + static_cast<std::int64_t>(kBetween);
    rows.front().push_back(visible_label(name));
    for (std::size_t at = 0; at < cells.size(); ++at) {
      const auto found = cells[at].find(name);
      rows[at + 1].push_back(found == cells[at].end() ? "" : cut_to_columns(found->second, column));
    }
    ++shown;
  }
  // A number is short and stands first; an id is long and stands last.
  const auto add_id = [&](std::size_t row, std::string_view id) {
    rows[row].insert(first ? rows[row].begin() : rows[row].end(), std::string(id));
  };
  add_id(0, heading);
  for (std::size_t at = 0; at < ids.size(); ++at) add_id(at + 1, ids[at]);
  std::string out = table_or_lines(console, rows);
  if (chosen && shown < all) out += format("{} more fields; --json shows all\n", all - shown);
  return out + (first ? format("open   ladder show {}\n", *first) : "ladder show RECORD shows a complete record\n");
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

// Renders a page of records: on a terminal as a table of its width, with numbers from `first` on or else short ids at the end;
// elsewhere one line per record (id, tab, data). `fields` are the requested columns in order; if empty, the declared title,
// author, time and text, else all fields of the records.
std::string records_text(const Console& console, const std::vector<Record>& records, const std::vector<std::string>& fields,
                         const RolesByStream& roles, std::optional<std::size_t> first) {
  if (console.out_is_terminal())
    return records.empty() ? "" : as_table(console, records, fields, roles_of(roles, records.front().ref), first);
  std::string out;
  for (const Record& record : records) append_line(out, record, "");
  return out;
}

class Records final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("STREAM", stream_, "the stream's name; ladder schema lists them");
    arguments.value("--connection", "ID", connection_, "only this connection");
    arguments.value("--fields", "NAME,…", fields_, "only these fields");
    filters_.declare(arguments, "only records with this value; FIELD.gte=, .gt=, .lte= and .lt= compare");
    arguments.value("--limit", "N", limit_, "records per page, 1 to 100 (default 25)");
    arguments.value("--cursor", "C", cursor_, "continue after an earlier page");
    arguments.value("--order", "asc|desc", order_, "oldest or newest first (default desc)");
    arguments.flag("--count", count_, "also count the matching records");
    arguments.value("--changes-since", "T", since_,
                    "only changes since then: beginning, or the token that an earlier call printed");
    arguments.each_value(
        "--expand", "RELATION",
        [this](const std::string& name) -> Status {
          expand_.push_back(name);
          return {};
        },
        "also show related records; may be repeated");
    caller_.declare(arguments);
    arguments.example("ladder records notes");
    arguments.example("ladder records notes --fields id,title --filter updated_at.gte=2026-01-01 --order asc --count");
    arguments.example("ladder records notes --connection notes-home --expand attachments --limit 5");
    arguments.example("ladder records notes --changes-since beginning --json");
  }

  Result<int> run(Context& context) override {
    LADDER_CHECK(check_page_limit(limit_));
    const RestTarget target = make_target();
    std::vector<api::Warning> warnings;
    LADDER_TRY(const auto query, http::Query::parse(target.query()));
    LADDER_TRY(auto request, rest::records_request(query, stream_, warnings));
    const bool json = context.console.json();
    if (!json && context.console.out_is_terminal()) request.max_field_chars = kShownChars;
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access access, caller_.who(context, *session));
    LADDER_TRY(const api::RecordsPage page, session->server().reads().records(access, request));
    if (json) {
      context.console.out(rest::render(page, target.path(), {.self = target.text(), .warnings = std::move(warnings)}) + "\n");
    } else {
      const bool table = context.console.out_is_terminal();
      show(context, page, request.fields, table ? roles_by_stream(session->server().reads(), access, stream_) : RolesByStream());
    }
    return kDone;
  }

 private:
  RestTarget make_target() const {
    RestTarget target("/v1/streams/" + RestTarget::segment(stream_) + "/records");
    const auto add = [&](std::string_view name, const std::optional<std::string>& value) {
      if (value) target.add(name, *value);
    };
    add("limit", limit_);
    add("cursor", cursor_);
    add("order", order_);
    add("fields", fields_);
    filters_.add_to(target);
    for (const std::string& name : expand_) target.add("expand", name);
    if (count_) target.add("count", "exact");
    add("changes_since", since_);
    add("connection_id", connection_);
    return target;
  }

  void show(const Context& context, const api::RecordsPage& page, const std::vector<std::string>& fields,
            const RolesByStream& roles) const {
    Console& console = context.console;
    console.page_long_output();
    const std::optional<std::size_t> first = console.out_is_terminal() ? keep_list(context, page) : std::nullopt;
    console.out(records_text(console, page.records, fields, roles, first));
    std::string said;
    for (const api::Warning& warning : page.warnings) said += format("note: {}\n", warning.message);
    if (page.records.empty()) said += since_ ? "Nothing changed.\n" : "No records.\n";
    if (page.count.kind != api::CountKind::kNone) said += format("{} records match.\n", grouped(page.count.value));
    if (!page.next_cursor.empty())
      said += first ? "more   ladder more\n"
                    : format("{:<6} ladder{}\n", "next", shell_words(command(context, "--cursor", page.next_cursor)));
    if (!page.next_changes_since.empty() && page.next_cursor.empty()) {
      said += format("{:<6} ladder{}\n", "later", shell_words(command(context, "--changes-since", page.next_changes_since)));
    }
    if (!page.next_cursor.empty() || !page.next_changes_since.empty()) said += caller_.hint();
    console.out_is_terminal() ? console.out(said) : console.err(said);  // data lines for other programs stay unchanged
  }

  // Keeps the records under numbers for `ladder show` and `ladder more`. Returns the number of the first; nullopt if they
  // cannot be kept.
  std::optional<std::size_t> keep_list(const Context& context, const api::RecordsPage& page) const {
    const std::string store = location_digest(context.settings.location);
    LastList list{.store = store,
                  .entries = entries_before(context.settings.state_folder, store, cursor_),
                  .next = {},
                  .cursor = page.next_cursor};
    const std::size_t first = list.entries.size() + 1;
    for (const Record& record : page.records) list.entries.emplace_back(shown_id(record.ref));
    if (!page.next_cursor.empty()) list.next = command(context, "--cursor", page.next_cursor);
    return keep_last_list(context.settings.state_folder, list) ? std::optional(first) : std::nullopt;
  }

  Words command(const Context& context, const std::string& flag, const std::string& value) const {
    Words line = {"records", stream_};
    const auto add = [&](const Words& words) { line.insert(line.end(), words.begin(), words.end()); };
    const auto repeat = [&](const std::string& name, const std::optional<std::string>& given) {
      if (given) add({name, *given});
    };
    repeat("--connection", connection_);
    repeat("--fields", fields_);
    add(filters_.words());
    for (const std::string& name : expand_) add({"--expand", name});
    repeat("--limit", limit_);
    repeat("--order", order_);
    add({flag, value});
    add(caller_.words());
    add(context.store_words());
    return line;
  }

  std::string stream_;
  std::optional<std::string> connection_, fields_, limit_, cursor_, order_, since_;
  FilterWords filters_;
  std::vector<std::string> expand_;
  bool count_ = false;
  Caller caller_;
};

}  // namespace

std::unique_ptr<Command> make_records() { return std::make_unique<Records>(); }

}  // namespace ladder::cli
