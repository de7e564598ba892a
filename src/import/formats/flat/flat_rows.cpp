#include "import/formats/flat/flat_rows.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "import/charset/read_text.h"
#include "import/formats/table/table_file.h"
#include "import/io/limits.h"
#include "import/io/lines.h"
#include "import/json/json_elements.h"
#include "import/json/json_members.h"
#include "import/text/text.h"
#include "import/tree/text_file.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace ladder::imports::flat {
namespace {

constexpr int kHeaderRows = 50;                    // where the header of a table is searched
constexpr std::size_t kMaxValues = 1000;           // of a path with a star
constexpr std::size_t kMaxSiblingBytes = 1 << 20;  // a file that describes its folder

// Calls `use` for every value at the path.
void each_at(const json::Value& root, std::string_view path, const std::function<void(const json::Value&)>& use) {
  if (path.empty()) return use(root);
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string_view step = path.substr(0, end), rest = path.substr(std::min(end + 1, path.size()));
  if (root.kind == json::Kind::kObject) {
    if (const auto found = json::member(root.text, step)) each_at(*found, rest, use);
  } else if (root.kind == json::Kind::kArray) {
    const bool all = step == "*";
    std::size_t index = 0;
    for (json::Elements elements(root.text); elements.next(); ++index) {
      if (all || step == std::to_string(index)) each_at(elements.value(), rest, use);
    }
  }
}

std::string scalar_text(const json::Value& value) {
  if (value.kind == json::Kind::kBool) return std::string(value.text);
  return text_of(value);
}

class JsonRow final : public FlatRow {
 public:
  JsonRow(const json::Value& root, const json::Value& item) : root_(root), item_(item) {}
  std::vector<std::string> values(std::string_view path) const override {
    return path.starts_with('/') ? values_at(root_, path.substr(1)) : values_at(item_, path);
  }
  std::string whole() const override { return std::string(item_.text); }

 private:
  const json::Value &root_, &item_;
};

using Columns = std::unordered_map<std::string, std::size_t>;  // name in lower case → index

class CellRow final : public FlatRow {
 public:
  CellRow(const Columns& columns, const std::vector<std::string>& cells, std::string_view charset)
      : columns_(columns), cells_(cells), charset_(charset) {}
  std::vector<std::string> values(std::string_view path) const override {
    const auto found = columns_.find(lower_ascii(path));
    if (found == columns_.end() || found->second >= cells_.size()) return {};
    std::string text = to_utf8_raw(cells_[found->second], charset_);
    if (trim(text).empty()) return {};
    return {std::move(text)};
  }
  std::string whole() const override {
    std::string all;
    for (const std::string& cell : cells_) all.append(to_utf8_raw(cell, charset_)).push_back('\x1f');
    return all;
  }

 private:
  const Columns& columns_;
  const std::vector<std::string>& cells_;
  std::string_view charset_;
};

// A table from its header on. Some services write a preamble, and some banks choose the separator by the language.
struct OpenTable {
  TextFile file;
  std::unique_ptr<CsvRows> rows;
  Columns columns;
};

Columns columns_of(const std::vector<std::string>& cells, std::string_view charset) {
  Columns columns;
  for (std::size_t i = 0; i < cells.size(); ++i) columns.emplace(lower_ascii(trim(to_utf8_raw(cells[i], charset))), i);
  return columns;
}

bool names_all(const Columns& columns, const FilePlan& plan) {
  return std::ranges::all_of(plan.has, [&](const std::string& name) {
    return columns.contains(lower_ascii(name)) ||
           std::ranges::any_of(columns, [&](const auto& column) { return column.first.starts_with(lower_ascii(name)); });
  });
}

Result<bool> open_table(Tree& tree, EntryNo entry, const FilePlan& plan, OpenTable& table) {
  for (const char separator : {',', ';', '\t', '|'}) {
    LADDER_TRY(table.file, open_text(tree, entry));
    table.rows = std::make_unique<CsvRows>(*table.file.bytes, separator);
    for (int row = 0; row < kHeaderRows; ++row) {
      LADDER_TRY(const bool more, table.rows->next());
      if (!more) break;
      table.columns = columns_of(table.rows->cells(), table.file.charset);
      if (names_all(table.columns, plan)) return true;
    }
  }
  return false;
}

Status each_cell_row(Tree& tree, EntryNo entry, const FilePlan& plan, std::int64_t from, Sink& sink, const UseRow& use) {
  const std::string& path = tree.entries()[entry].path;
  OpenTable table;
  const auto opened = open_table(tree, entry, plan, table);
  if (!opened) return sink.lost({path, -1}, opened.error().message);
  if (!*opened) return sink.lost({path, 0}, "the row with the names of the columns was not found");
  if (from == 0) LADDER_CHECK(report_guess(table.file.guessed, plan.stream, sink));
  for (;;) {
    const auto more = table.rows->next();
    if (!more) return sink.lost({path, -1}, more.error().message);
    if (!*more) return {};
    if (table.rows->torn()) {
      if (table.rows->offset() >= from) LADDER_CHECK(sink.lost({path, table.rows->offset()}, "a quote is not closed"));
      continue;
    }
    const CellRow row(table.columns, table.rows->cells(), table.file.charset);
    LADDER_CHECK(use(row, table.rows->offset(), table.rows->end_offset()));
  }
}

// Passes the records of an element on. Their offset is that of the element, except for elements with many records.
Status use_element(const json::Value& element, const FilePlan& plan, std::int64_t offset, std::int64_t end, const UseRow& use) {
  if (plan.each.empty()) return use(JsonRow(element, element), offset, end);
  Status done;
  each_at(element, plan.each, [&](const json::Value& item) {
    const std::int64_t at = offset + (item.text.data() - element.text.data());
    if (done) done = use(JsonRow(element, item), at, at + std::ssize(item.text));
  });
  return done;
}

// JavaScript: an assignment, then a JSON array.
Status each_js_row(Tree& tree, EntryNo entry, const FilePlan& plan, std::int64_t from, Sink& sink, const UseRow& use) {
  const std::string& path = tree.entries()[entry].path;
  const auto bytes = open_utf8(tree, entry);
  if (!bytes) return sink.lost({path, -1}, bytes.error().message);
  JsonElements elements(**bytes);
  for (;;) {
    const auto step = elements.next();
    if (!step) return sink.lost({path, -1}, step.error().message);
    if (*step == JsonElements::Step::kEnd) return {};
    if (*step == JsonElements::Step::kElement) {
      const json::Value element = json::value_of(elements.element());
      LADDER_CHECK(use_element(element, plan, elements.offset(), elements.offset() + std::ssize(element.text), use));
    } else if (elements.offset() >= from) {
      LADDER_CHECK(sink.lost({path, elements.offset()}, elements.why()));
    }
    if (*step == JsonElements::Step::kCut) return {};
  }
}

Status each_line_row(Tree& tree, EntryNo entry, const FilePlan& plan, std::int64_t from, Sink& sink, const UseRow& use) {
  const std::string& path = tree.entries()[entry].path;
  const auto bytes = open_utf8(tree, entry);
  if (!bytes) return sink.lost({path, -1}, bytes.error().message);
  Lines lines(**bytes);
  for (;;) {
    const auto more = lines.next();
    if (!more) return sink.lost({path, -1}, more.error().message);
    if (!*more) return {};
    const std::string_view text = trim(lines.text());
    if (text.empty()) continue;
    if (const auto checked = json::check(text, ladder::limits::kMaxJsonDepth); !checked) {
      if (lines.offset() >= from)
        LADDER_CHECK(sink.lost({path, lines.offset()}, format("not valid JSON: {}", checked.error().what)));
      continue;
    }
    LADDER_CHECK(use_element(json::value_of(text), plan, lines.offset(), lines.end_offset(), use));
  }
}

// After damage, an object with a few members is taken for the next element.
bool may_be_record(const json::Value& object) {
  int members = 0;
  for (json::Members each(object.text); members < 3 && each.next();) ++members;
  return members >= 3;
}

Status each_json_row(Tree& tree, EntryNo entry, const FilePlan& plan, std::int64_t from, Sink& sink, const UseRow& use) {
  const auto take = [&](const JsonElement& element) {
    return use_element(element.value, plan, element.at.byte, element.end, use);
  };
  if (opening_bracket(text_head(tree, entry)) == '{') return read_document(tree, entry, "record", sink, take);
  // Does not report again what was reported before the position.
  class After final : public Sink {
   public:
    After(Sink& sink, std::int64_t from) : sink_(sink), from_(from) {}
    Status record(const Record& record) override { return sink_.record(record); }
    Result<std::string> blob(std::string_view type, Bytes& bytes) override { return sink_.blob(type, bytes); }
    Status lost(const wire::FileLocation& at, std::string_view reason) override {
      return at.byte >= 0 && at.byte < from_ ? Status{} : sink_.lost(at, reason);
    }
    Status skipped(std::string_view stream, std::string_view reason) override { return sink_.skipped(stream, reason); }
    Status checkpoint(std::string_view position) override { return sink_.checkpoint(position); }

   private:
    Sink& sink_;
    std::int64_t from_;
  } after(sink, from);
  return read_elements(tree, entry, "record", may_be_record, 0, after, take);
}

}  // namespace

std::vector<std::string> values_at(const json::Value& root, std::string_view path) {
  std::vector<std::string> values;
  each_at(root, path, [&](const json::Value& value) {
    std::string text = scalar_text(value);
    if (!trim(text).empty() && values.size() < kMaxValues) values.push_back(std::move(text));
  });
  return values;
}

std::vector<std::string> Surroundings::values(std::string_view path) {
  const Entry& entry = tree_.entries()[entry_];
  if (path == "#folder") return {std::string(last_component(entry.folder()))};
  path.remove_prefix(1);
  const std::size_t slash = std::min(path.find('/'), path.size());
  const std::string name(path.substr(0, slash));
  const auto [file, is_new] = files_.try_emplace(name);
  if (is_new) {
    if (const auto found = tree_.find(entry.sibling(name))) {
      auto text = tree_.read(*found, kMaxSiblingBytes);
      if (text && json::check(without_mark(*text), ladder::limits::kMaxJsonDepth)) file->second = without_mark(*text);
    }
  }
  if (file->second.empty()) return {};
  return values_at(json::value_of(file->second), path.substr(std::min(slash + 1, path.size())));
}

bool begins_like(const FilePlan& plan, std::string_view head) {
  const std::string lower = plan.kind == FilePlan::Kind::kCsv ? lower_ascii(head) : std::string();
  return std::ranges::all_of(plan.has, [&](const std::string& text) {
    return plan.kind == FilePlan::Kind::kCsv ? lower.find(lower_ascii(text)) != std::string::npos
                                             : head.find(text) != std::string_view::npos;
  });
}

Status each_row(Tree& tree, EntryNo entry, const FilePlan& plan, std::int64_t from, Sink& sink, const UseRow& use) {
  switch (plan.kind) {
    case FilePlan::Kind::kCsv:
      return each_cell_row(tree, entry, plan, from, sink, use);
    case FilePlan::Kind::kJs:
      return each_js_row(tree, entry, plan, from, sink, use);
    case FilePlan::Kind::kLines:
      return each_line_row(tree, entry, plan, from, sink, use);
    case FilePlan::Kind::kJson:
      break;
  }
  return each_json_row(tree, entry, plan, from, sink, use);
}

}  // namespace ladder::imports::flat
