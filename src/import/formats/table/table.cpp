// Tables with the owner's declaration (--manifest): CSV, TSV, a JSON array of objects, NDJSON. Objects are stored byte for
// byte; cells are converted to the declared types.
#include "base/limits.h"
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "crypto/hash.h"
#include "import/formats/format.h"
#include "import/formats/table/table_file.h"
#include "import/formats/table/table_plan.h"
#include "import/io/limits.h"
#include "import/io/lines.h"
#include "import/json/json_elements.h"
#include "import/text/text.h"
#include "import/tree/text_file.h"
#include "json/scan/scan.h"
#include "json/writer.h"

#include <charconv>
#include <optional>
#include <unordered_map>

namespace ladder::imports {
namespace {

constexpr std::int64_t kCheckpointEvery = 500;      // rows
constexpr std::size_t kMaxCountedRows = 4'000'000;  // rows whose duplicates are counted; about 200 MB
constexpr std::string_view kNeedsManifest =
    "a table needs a declaration: create a draft with `ladder source infer FILE`, then import with --manifest FILE";

class Reader {
 public:
  Reader(Tree& tree, EntryNo entry, const TablePlan& plan, Sink& sink, std::int64_t from)
      : tree_(tree), number_(entry), entry_(tree.entries()[entry]), plan_(plan), sink_(sink), from_(from) {}

  Status run() {
    switch (table_layout(tree_, number_)) {
      case TableLayout::kArray:
        return read_array();
      case TableLayout::kLines:
        return read_lines();
      default:
        return read_cells();
    }
  }

 private:
  Status read_cells() {
    std::vector<std::string> names;
    for (const TableColumn& column : plan_.columns) {
      if (!column.is_digest) names.push_back(column.column);
    }
    LADDER_TRY(const TableRows table, rows_below_header(tree_, number_, names));
    if (!table.has_header) return sink_.lost({entry_.path, 0}, "no header row matches the columns in the declaration");
    if (from_ == 0) LADDER_CHECK(report_guess(table.guessed, plan_.stream->name, sink_));
    for (;;) {
      LADDER_TRY(const bool more, table.rows->next());
      if (!more) break;
      LADDER_CHECK(take_cells(table));
      LADDER_CHECK(done_with(table.rows->end_offset()));
    }
    return sink_.checkpoint(std::to_string(entry_.size));
  }

  Status take_cells(const TableRows& table) {
    const std::int64_t offset = table.rows->offset();
    std::string id;
    if (plan_.digest()) {
      std::string whole;
      for (const std::string& cell : table.rows->cells()) whole.append(cell).push_back('\x1f');
      id = row_id(whole);
    }
    if (offset < from_) return {};
    if (table.rows->torn()) return sink_.lost({entry_.path, offset}, "a quote is not closed");
    json::Writer out;
    out.begin_object();
    std::size_t next = 0;  // among the columns that are not a digest
    for (const TableColumn& column : plan_.columns) {
      if (column.is_digest) {
        out.member(column.field, id);
        continue;
      }
      const std::optional<std::string> cell = table.cell(next++);
      const auto value = cell_json(cell.value_or(""), column.rule);
      if (!value) return sink_.lost({entry_.path, offset}, format("column {}: {}", column.column, value.error()));
      if (*value) out.key(column.field).raw(**value);
      else if (column.required) return sink_.lost({entry_.path, offset}, format("column {}: the cell is empty", column.column));
      else if (cell && column.nullable) out.key(column.field).null();
    }
    out.end_object();
    return send(out.take(), offset);
  }

  Status read_lines() {
    LADDER_TRY(const auto bytes, open_utf8(tree_, number_));
    Lines lines(*bytes);
    for (;;) {
      LADDER_TRY(const bool more, lines.next());
      if (!more) break;
      std::string_view text = trim(lines.text());
      if (text.empty()) continue;
      LADDER_CHECK(take_object(text, lines.offset()));
      LADDER_CHECK(done_with(lines.end_offset()));
    }
    return sink_.checkpoint(std::to_string(entry_.size));
  }

  Status read_array() {
    LADDER_TRY(const auto bytes, open_utf8(tree_, number_));
    JsonElements elements(*bytes);
    for (;;) {
      LADDER_TRY(const JsonElements::Step step, elements.next());
      if (step == JsonElements::Step::kEnd) break;
      if (step == JsonElements::Step::kElement) {
        LADDER_CHECK(take_object(elements.element(), elements.offset()));
      } else if (elements.offset() >= from_) {
        LADDER_CHECK(sink_.lost({entry_.path, elements.offset()}, elements.why()));
      }
      if (step == JsonElements::Step::kCut) break;
      LADDER_CHECK(done_with(elements.offset() + 1));
    }
    return sink_.checkpoint(std::to_string(entry_.size));
  }

  Status take_object(std::string_view text, std::int64_t offset) {
    const auto checked = json::check(text, ladder::limits::kMaxJsonDepth);
    if (!checked) {
      if (offset < from_) return {};
      return sink_.lost({entry_.path, offset},
                        format("not valid JSON: {}", checked.error().invalid_utf8 ? "invalid UTF-8" : checked.error().what));
    }
    const json::Value value = json::value_of(text);
    if (value.kind != json::Kind::kObject)
      return offset < from_ ? Status{} : sink_.lost({entry_.path, offset}, "not a JSON object");
    const TableColumn* digest = plan_.digest();
    std::string data;
    if (digest) {
      json::Writer name;
      name.begin_object().member(digest->field, row_id(value.text));
      data = name.take();
      const std::string_view rest = trim(value.text.substr(1));
      if (rest != "}") data += ',';
      data += rest;
    } else {
      data = value.text;
    }
    if (offset < from_) return {};
    return send(std::move(data), offset);
  }

  std::string row_id(std::string_view row) {
    const crypto::Digest digest = crypto::sha256(row);
    std::string id = to_hex(crypto::view(digest).substr(0, 16));
    const std::uint64_t part = get_u64_be(crypto::view(digest));
    if (counted_.size() >= kMaxCountedRows && !counted_.contains(part)) return id;
    const int before = counted_[part]++;
    return before == 0 ? id : format("{}-{}", id, before + 1);
  }

  // A line break between members would end a RECORD line.
  Status send(std::string data, std::int64_t offset) {
    for (char& c : data) {
      if (c == '\n' || c == '\r') c = ' ';
    }
    std::optional<Instant> time;
    if (!plan_.stream->consent_time_field.empty()) {
      if (const auto value = json::member(data, plan_.stream->consent_time_field); value && value->kind == json::Kind::kString) {
        time = parse_time(json::decode_string(json::raw_content(*value)));
      }
    }
    return sink_.record({plan_.stream->name, data, {entry_.path, offset}, time});
  }

  Status done_with(std::int64_t end) {
    if (end <= from_ || ++rows_ % kCheckpointEvery != 0) return {};
    return sink_.checkpoint(std::to_string(end));
  }

  Tree& tree_;
  EntryNo number_;
  const Entry& entry_;
  const TablePlan& plan_;
  Sink& sink_;
  std::int64_t from_;
  std::int64_t rows_ = 0;
  std::unordered_map<std::uint64_t, int> counted_;
};

class Table final : public Format {
 public:
  std::string_view name() const override { return "table"; }
  std::string_view summary() const override { return "CSV, TSV, JSON and NDJSON with a declaration of your own (--manifest)"; }

  Result<std::string> declaration(const Request& request) const override {
    if (request.manifest.empty()) return fail(Code::kInvalidRequest, std::string(kNeedsManifest), "manifest");
    return request.manifest;
  }

  std::vector<Unit> detect(Tree& tree, const Request& request) const override {
    if (request.manifest.empty() && !request.forced) return {};
    const auto declared = model::parse_declaration(request.manifest);
    std::vector<Unit> units;
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      const Entry& entry = tree.entries()[i];
      if (!is_table_file(entry) && !(request.forced && entry.has_extension(".txt"))) continue;
      const model::Stream* stream = declared ? stream_for(*declared, without_extension(entry.name())) : nullptr;
      if (declared && !stream) continue;
      units.push_back({Confidence::kCertain,
                       stream ? format("a table for the stream {}", stream->name) : "a table without a declaration",
                       "",
                       {i}});
    }
    return units;
  }

  // The position is the offset after the last sent row.
  Status read(Tree& tree, const Unit& unit, const Request& request, std::string_view position, Sink& sink) const override {
    LADDER_TRY(const auto declared, model::parse_declaration(request.manifest));
    std::int64_t from = 0;
    std::from_chars(position.data(), position.data() + position.size(), from);
    for (const EntryNo entry : unit.entries) {
      const model::Stream* stream = stream_for(declared, without_extension(tree.entries()[entry].name()));
      if (!stream) continue;
      LADDER_TRY(const TablePlan plan, plan_table(*stream));
      LADDER_CHECK(Reader(tree, entry, plan, sink, from).run());
    }
    return {};
  }
};

}  // namespace

const Format& table_format() {
  static const Table format;
  return format;
}

}  // namespace ladder::imports
