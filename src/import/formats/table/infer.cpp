// Reads the first rows and writes a draft declaration.
#include "import/formats/table/infer.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/time/time.h"
#include "import/charset/encoding.h"
#include "import/formats/table/column_guess.h"
#include "import/formats/table/table_file.h"
#include "import/formats/table/table_plan.h"
#include "import/io/lines.h"
#include "import/json/json_elements.h"
#include "import/text/text.h"
#include "import/tree/text_file.h"
#include "import/tree/tree.h"
#include "json/scan/scan.h"
#include "json/writer.h"
#include "model/envelope.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <unordered_map>

namespace ladder::imports {
namespace {

constexpr int kRows = 20'000;  // number of rows examined
constexpr int kRowsOfAKey = 20;

struct Columns {
  std::vector<std::string> names;
  std::vector<ColumnVerdict> verdicts;
  int rows = 0;
};

// Lower-case letters, digits and dashes.
std::string slug(std::string_view text) {
  std::string out;
  for (const char c : lower_ascii(text)) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out += c;
    else if (!out.empty() && out.back() != '-') out += '-';
  }
  while (out.ends_with('-')) out.pop_back();
  return out.empty() ? "table" : out.substr(0, 60);
}

Result<Columns> read_cells(Tree& tree) {
  Columns columns;
  LADDER_TRY(columns.names, propose_columns(tree, 0));
  if (columns.names.empty()) return columns;
  LADDER_TRY(const TableRows table, rows_below_header(tree, 0, columns.names));
  std::vector<ColumnGuess> guesses(columns.names.size());
  while (columns.rows < kRows) {
    LADDER_TRY(const bool more, table.rows->next());
    if (!more) break;
    if (table.rows->torn()) continue;
    ++columns.rows;
    for (std::size_t i = 0; i < guesses.size(); ++i) guesses[i].add(table.cell(i).value_or(""));
  }
  for (const ColumnGuess& guess : guesses) columns.verdicts.push_back(guess.verdict(columns.rows));
  return columns;
}

// The members of objects, in order of first appearance.
class Objects {
 public:
  int seen() const { return seen_; }

  void add(std::string_view object) {
    if (!model::check_data_names(object)) return;  // the store rejects such an object, too
    ++seen_;
    for (json::Members members(object); members.next();) {
      const std::string name = json::decode_string(members.raw_name());
      if (names_.size() >= kMaxColumns && !places_.contains(name)) continue;
      const auto [place, is_new] = places_.emplace(name, names_.size());
      if (is_new) {
        names_.push_back(name);
        guesses_.emplace_back();
      }
      guesses_[place->second].add(members.value());
    }
  }

  Columns columns() const {
    Columns columns{names_, {}, seen_};
    for (const MemberGuess& guess : guesses_) columns.verdicts.push_back(guess.verdict(seen_));
    return columns;
  }

 private:
  int seen_ = 0;
  std::vector<std::string> names_;
  std::vector<MemberGuess> guesses_;
  std::unordered_map<std::string, std::size_t> places_;
};

Result<Columns> read_objects(Tree& tree, TableLayout layout) {
  LADDER_TRY(const auto bytes, open_utf8(tree, 0));
  Objects objects;
  if (layout == TableLayout::kLines) {
    Lines lines(*bytes);
    while (objects.seen() < kRows) {
      LADDER_TRY(const bool more, lines.next());
      if (!more) break;
      const std::string_view text = trim(lines.text());
      if (!text.starts_with('{') || !json::check(text, ladder::limits::kMaxJsonDepth)) continue;
      objects.add(json::value_of(text).text);
    }
    return objects.columns();
  }
  JsonElements elements(*bytes);
  while (objects.seen() < kRows) {
    LADDER_TRY(const JsonElements::Step step, elements.next());
    if (step == JsonElements::Step::kCut && objects.seen() == 0) return fail(Code::kInvalidRequest, elements.why());
    if (step == JsonElements::Step::kEnd || step == JsonElements::Step::kCut) break;
    if (step == JsonElements::Step::kElement && elements.element().starts_with('{')) objects.add(elements.element());
  }
  return objects.columns();
}

std::string json_text(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

std::string list(const std::vector<std::string>& names) {
  std::string out = "[";
  for (const std::string& name : names) out += (out.size() > 1 ? ", " : "") + json_text(name);
  return out + "]";
}

std::string_view type_name(const ColumnVerdict& verdict) {
  switch (verdict.rule.type) {
    case CellType::kInteger:
      return "integer";
    case CellType::kNumber:
      return "number";
    case CellType::kBoolean:
      return "boolean";
    default:
      return "string";
  }
}

// Writes one property on its own line.
std::string property(const std::string& name, const std::string& field, const ColumnVerdict& verdict, bool is_json) {
  std::string out = format("        {}: {{", json_text(field));
  if (!verdict.is_other) {
    const std::string type = json_text(type_name(verdict));
    out += verdict.nullable ? format("\"type\": [{}, \"null\"]", type) : format("\"type\": {}", type);
    if (verdict.rule.type == CellType::kDate) out += ", \"format\": \"date\"";
    if (verdict.rule.type == CellType::kTime) out += ", \"format\": \"date-time\"";
    if (!is_json && verdict.rule.decimal == ',') out += ", \"x_ladder_decimal\": \",\"";
    if (!is_json && !verdict.rule.date_order.empty())
      out += format(", \"x_ladder_date\": {}", json_text(verdict.rule.date_order));
    out += ", ";
  }
  if (field != name) out += format("\"x_ladder_column\": {}, ", json_text(name));
  return out + format("\"description\": {}}}", json_text(name));
}

// A field has the name of its column, if that is a valid field name.
std::string field_name(const std::string& column) {
  std::string name = column.substr(0, 200);
  std::ranges::replace_if(name, [](unsigned char c) { return c < ' ' || c == 0x7F || c == '/'; }, '_');
  if (name == "blob_ref") name += "_text";  // that name is reserved for blob references
  return name.empty() ? "column" : replace_invalid(name);
}

// The field name of a column that was identified by a number because its header is empty or duplicated.
std::string numbered_field(const std::string& column) {
  const std::size_t hash = column.rfind('#');
  if (hash == std::string::npos || hash + 1 == column.size()) return column;
  if (column.find_first_not_of("0123456789", hash + 1) != std::string::npos) return column;
  return (hash == 0 ? "column" : column.substr(0, hash)) + "_" + column.substr(hash + 1);
}

std::string unique_name(std::string field, std::set<std::string>& used) {
  const std::string first = field;
  for (int number = 2; !used.insert(field).second; ++number) field = format("{}_{}", first, number);
  return field;
}

struct Draft {
  std::string properties;
  std::string key, time;
  std::vector<std::string> required, prose, few, numbers, times;
};

Draft draft(const Columns& columns, bool is_json) {
  Draft made;
  std::set<std::string> used;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    std::string field = field_name(is_json ? columns.names[i] : numbered_field(columns.names[i]));
    if (is_json && field != columns.names[i]) continue;  // an object is stored unchanged: its members cannot be renamed
    field = unique_name(std::move(field), used);
    const auto kept = columns.verdicts[i];
    made.properties += (made.properties.empty() ? "" : ",\n") + property(columns.names[i], field, kept, is_json);
    const bool text = kept.rule.type == CellType::kText && !kept.is_other;
    const bool time = kept.rule.type == CellType::kDate || kept.rule.type == CellType::kTime;
    // Distinct values alone do not make a key: the column must be named like one, or contain codes in many rows.
    const std::string lower = lower_ascii(field);
    const bool has_key_name =
        lower == "id" || lower == "uuid" || lower == "key" || lower.ends_with("_id") || lower.ends_with(" id");
    const bool is_code = text && !kept.prose && columns.rows >= kRowsOfAKey;
    const bool can_be_key = kept.unique && (is_code || (has_key_name && (text || kept.rule.type == CellType::kInteger)));
    if (can_be_key && (made.key.empty() || (has_key_name && lower_ascii(made.key) != "id"))) made.key = field;
    if (time) made.times.push_back(field);
    if (text && kept.prose) made.prose.push_back(field);
    if (text) texts.push_back(field);
    if (text && kept.few) made.few.push_back(field);
    if (kept.rule.type == CellType::kNumber || kept.rule.type == CellType::kInteger) made.numbers.push_back(field);
  }
  if (made.prose.empty()) made.prose = texts;
  std::erase(made.numbers, made.key);
  if (made.key.empty()) {
    made.key = unique_name("row_id", used);
    const std::string key =
        format("        {}: {{\"type\": \"string\", \"x_ladder_column\": {}, \"description\": \"Made from the whole row.\"}}",
               json_text(made.key), json_text(kDigestColumn));
    made.properties = key + (made.properties.empty() ? "" : ",\n" + made.properties);
  }
  if (!made.times.empty()) made.time = made.times.front();
  return made;
}

// `, "name": [..]`; "" for an empty list, which a declaration must not contain.
std::string member(std::string_view name, const std::vector<std::string>& fields) {
  return fields.empty() ? std::string() : format(", \"{}\": {}", name, list(fields));
}

std::string query(const Draft& made) {
  std::vector<std::string> extremes = made.times;
  extremes.insert(extremes.end(), made.numbers.begin(), made.numbers.end());
  std::string ranges;
  for (const std::string& field : extremes) {
    ranges += format("{}{}: [\"gte\", \"gt\", \"lte\", \"lt\"]", ranges.empty() ? "" : ", ", json_text(field));
  }
  std::string out = "{\n";
  if (!ranges.empty()) out += format("        \"range_filters\": {{{}}},\n", ranges);
  if (!made.prose.empty()) out += format("        \"search\": {{\"lexical_fields\": {}}},\n", list(made.prose));
  return out + format("        \"aggregations\": {{\"count\": true{}{}{}{}{}}}}}", member("group_by", made.few),
                      member("group_by_time", made.times), member("sum", made.numbers), member("min", extremes),
                      member("max", extremes));
}

std::string document(const std::string& name, const Draft& made) {
  std::string time;
  if (!made.time.empty()) time = format("\"cursor_field\": {0}, \"consent_time_field\": {0}, ", json_text(made.time));
  return format(R"json({{
  "protocol_version": "0.1.0",
  "source": {{"kind": "connector", "id": "urn:ladder:table:{0}"}},
  "declaration_version": "1",
  "publisher": {{"id": "urn:ladder:table"}},
  "display": {{"name": {1}}},
  "streams": [
    {{
      "name": "{0}", "semantics": "mutable_state",
      "display": {{"label": {1}, "detail": "Say here what these records are, for the page on which you allow others to read them."}},
      "schema": {{"type": "object", "required": [{2}], "properties": {{
{3}}}}},
      "primary_key": [{2}], {4}"selection": {{"fields": true, "resources": true}},
      "query": {5}
    }}
  ]
}}
)json",
                slug(name), json_text(name), json_text(made.key), made.properties, time, query(made));
}

}  // namespace

Result<std::string> infer_declaration(const std::string& path, const std::string& encoding) {
  if (!encoding.empty() && charset::find_encoding(encoding) == nullptr)
    return fail(Code::kInvalidRequest, format("unknown character encoding '{}'", encoding), "encoding");
  OpenedTrees opened = open_trees(std::vector<std::string>{path});
  if (!opened.refusals.empty()) return fail(Code::kNotFound, format("'{}': {}", path, opened.refusals.front().reason));
  if (opened.trees.size() != 1 || opened.trees.front()->entries().size() != 1) {
    return fail(Code::kInvalidRequest, format("'{}' is not one file", path));
  }
  Tree& tree = *opened.trees.front();
  tree.encoding = encoding;
  const Entry& entry = tree.entries().front();
  const TableLayout layout = table_layout(tree, 0);
  const bool is_json = layout != TableLayout::kCells;
  LADDER_TRY(const Columns columns, is_json ? read_objects(tree, layout) : read_cells(tree));
  if (columns.names.empty() || columns.rows == 0) {
    return fail(Code::kInvalidRequest,
                format("'{}' has no rows that could be records: a row of names and rows of cells, or JSON objects", path));
  }
  return document(std::string(without_extension(entry.name())), draft(columns, is_json));
}

}  // namespace ladder::imports
