// Workbooks of Excel (xlsx): a page per sheet, a line per row, tabs between the cells.
#include "import/office/office_document.h"

#include "base/text/format.h"
#include "base/text/number.h"
#include "base/text/utf8.h"
#include "base/time/time.h"
#include "import/text/text.h"
#include "import/xml/xml_reader.h"

#include <charconv>
#include <cmath>
#include <set>

namespace ladder::imports::office {
namespace {

using Step = XmlReader::Step;

constexpr std::size_t kMaxSheets = 10'000;
constexpr std::size_t kMaxStyles = 100'000;
constexpr std::size_t kMaxCellBytes = 256 * limits::kKiB;  // Excel allows 32,767 characters
constexpr std::size_t kMaxStrings = 20'000'000;

struct Workbook {
  struct Sheet {
    std::string name, id;
  };
  std::vector<Sheet> sheets;
  bool from_1904 = false;
};

struct Styles {
  std::set<int> date_formats;     // own formats that show a date or a time
  std::vector<int> cell_formats;  // format number by style

  bool is_date(std::size_t style) const {
    if (style >= cell_formats.size()) return false;
    const int number = cell_formats[style];
    return (number >= 14 && number <= 22) || (number >= 27 && number <= 36) || (number >= 45 && number <= 47) ||
           (number >= 50 && number <= 58) || date_formats.contains(number);
  }
};

int number_of(std::string_view text) { return static_cast<int>(parse_number(text).value_or(-1)); }

// Returns true if a format code has the letters of a date or time outside of quotes, brackets and escapes.
bool shows_date(std::string_view code) {
  bool quoted = false, bracket = false;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    if (c == '\\' || c == '_' || c == '*') ++i;
    else if (c == '"') quoted = !quoted;
    else if (!quoted && c == '[') bracket = true;
    else if (c == ']') bracket = false;
    else if (!quoted && !bracket && std::string_view("ymdhsYMDHS").find(c) != std::string_view::npos) return true;
  }
  return false;
}

void each_start(std::string_view bytes, const auto& use) {
  BytesInMemory in_memory(bytes);
  XmlReader xml(in_memory);
  for (;;) {
    const auto step = xml.next();
    if (!step || *step == Step::kDone || *step == Step::kDamaged) return;
    if (*step == Step::kStart) use(xml);
  }
}

Workbook read_workbook(std::string_view bytes) {
  Workbook workbook;
  each_start(bytes, [&](XmlReader& xml) {
    if (xml.name() == "workbookPr") {
      workbook.from_1904 = xml.attribute("date1904") == "1" || xml.attribute("date1904") == "true";
    } else if (xml.name() == "sheet" && workbook.sheets.size() < kMaxSheets) {
      const bool is_hidden = xml.attribute("state") == "hidden" || xml.attribute("state") == "veryHidden";
      workbook.sheets.push_back(
          {format("{}{}", xml.attribute("name"), is_hidden ? " (hidden)" : ""), std::string(xml.prefixed_attribute("id"))});
    }
  });
  return workbook;
}

Styles read_styles(std::string_view bytes) {
  Styles styles;
  bool in_cells = false;
  each_start(bytes, [&](XmlReader& xml) {
    if (xml.name() == "numFmt" && shows_date(xml.attribute("formatCode")))
      styles.date_formats.insert(number_of(xml.attribute("numFmtId")));
    else if (xml.name() == "cellXfs") in_cells = true;
    else if (xml.name() == "cellStyles" || xml.name() == "dxfs") in_cells = false;
    else if (xml.name() == "xf" && in_cells && styles.cell_formats.size() < kMaxStyles)
      styles.cell_formats.push_back(number_of(xml.attribute("numFmtId")));
  });
  return styles;
}

// "_x000D_" stands for a character that XML does not allow.
std::string without_escapes(std::string text) {
  for (std::size_t at = text.find("_x"); at != std::string::npos; at = text.find("_x", at + 1)) {
    if (at + 7 > text.size() || text[at + 6] != '_') continue;
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data() + at + 2, text.data() + at + 6, value, 16);
    if (error != std::errc() || end != text.data() + at + 6) continue;
    std::string letter;
    if (value == '\n' || value == '\t' || value >= 32) utf8::append(letter, value);
    text.replace(at, 7, letter);
  }
  return text;
}

// The text of an element: all its t, without reading aids.
std::string text_inside(XmlReader& xml) {
  std::string text;
  for (const std::size_t begin = xml.depth();;) {
    const auto step = xml.next();
    if (!step || *step == Step::kDone || *step == Step::kDamaged) return text;
    if (*step == Step::kEnd && xml.depth() <= begin) return without_escapes(std::move(text));
    if (*step != Step::kStart) continue;
    if (xml.name() == "rPh") static_cast<void>(xml.skip_element());
    else if (xml.name() == "t") text += xml.take_text(kMaxCellBytes - std::min(kMaxCellBytes, text.size())).value_or("");
  }
}

std::vector<std::string> read_strings(std::string_view bytes) {
  std::vector<std::string> strings;
  each_start(bytes, [&](XmlReader& xml) {
    if (xml.name() == "si" && strings.size() < kMaxStrings) strings.push_back(text_inside(xml));
  });
  return strings;
}

// A serial number of days; the fraction is the time of day.
std::string date_text(std::string_view value, bool from_1904) {
  double days = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), days);
  if (error != std::errc() || !(days >= 0 && days < 2'958'466)) return std::string(value);
  constexpr std::int64_t kUntil1970 = 25'569, kUntil1904 = 24'107;
  const auto seconds = static_cast<std::int64_t>(std::llround(days * 86'400));
  const std::int64_t day = seconds / 86'400 - (from_1904 ? kUntil1904 : kUntil1970);
  const std::string text = format_local_time((day * 86'400 + seconds % 86'400) * kSecond);
  if (days < 1) return text.substr(11);
  return seconds % 86'400 == 0 ? text.substr(0, 10) : text;
}

class SheetReader {
 public:
  SheetReader(OfficeDocument& document, const std::vector<std::string>& strings, const Styles& styles, bool from_1904)
      : document_(document), strings_(strings), styles_(styles), from_1904_(from_1904) {}

  std::string read(std::string_view bytes, std::string_view name) {
    BytesInMemory in_memory(bytes);
    XmlReader xml(in_memory);
    for (;;) {
      const auto step = xml.next();
      if (!step || *step == Step::kDone) return std::move(text_);
      if (*step == Step::kDamaged) {
        document_.problems.push_back(format("the sheet {} is damaged: {}", name, xml.why()));
        return std::move(text_);
      }
      if (*step == Step::kStart && xml.name() == "c") cell(xml);
      if (*step == Step::kEnd && xml.name() == "row") end_row();
    }
  }

 private:
  void cell(XmlReader& xml) {
    const std::string type(xml.attribute("t"));
    const auto style = static_cast<std::size_t>(std::max(0, number_of(xml.attribute("s"))));
    std::string value;
    for (const std::size_t begin = xml.depth();;) {
      const auto step = xml.next();
      if (!step || *step == Step::kDone || *step == Step::kDamaged) return;
      if (*step == Step::kEnd && xml.depth() <= begin) break;
      if (*step != Step::kStart) continue;
      if (xml.name() == "v") value = xml.take_text(kMaxCellBytes).value_or("");
      else if (xml.name() == "is") value = text_inside(xml);
      else static_cast<void>(xml.skip_element());
    }
    if (type == "s") {
      const auto index = static_cast<std::size_t>(number_of(value));
      value = index < strings_.size() ? strings_[index] : std::string();
    } else if (type == "b") {
      value = value == "1" ? "TRUE" : "FALSE";
    } else if ((type.empty() || type == "n") && styles_.is_date(style)) {
      value = date_text(value, from_1904_);
    } else if (type == "str") {
      value = without_escapes(std::move(value));
    }
    std::ranges::replace(value, '\n', ' ');
    if (trim(value).empty() || row_.size() > limits::kMaxPdfTextBytes) return;  // cells can share one long string
    row_ += (row_.empty() ? "" : "\t") + value;
  }

  void end_row() {
    if (row_.empty()) return;
    document_.append(text_, row_);
    document_.append(text_, "\n");
    row_.clear();
  }

  OfficeDocument& document_;
  const std::vector<std::string>& strings_;
  const Styles& styles_;
  bool from_1904_;
  std::string text_, row_;
};

}  // namespace

void read_sheets(Package& package, const std::string& main_part, OfficeDocument& document) {
  document.page_kind = "sheet";
  const auto bytes = package.read(main_part);
  if (!bytes) {
    document.refused = bytes.error().message;
    return;
  }
  const Workbook workbook = read_workbook(*bytes);
  const auto related = package.relationships_of(main_part);
  std::vector<std::string> strings;
  Styles styles;
  for (const auto& [id, each] : related) {
    if (each.kind != "sharedStrings" && each.kind != "styles") continue;
    const auto part = package.read(each.target);
    if (!part) document.problems.push_back(part.error().message);
    else if (each.kind == "styles") styles = read_styles(*part);
    else strings = read_strings(*part);
  }
  for (const Workbook::Sheet& sheet : workbook.sheets) {
    const auto found = related.find(sheet.id);
    OfficeDocument::Page page{sheet.name, {}};
    if (found != related.end()) {
      const auto part = package.read(found->second.target);
      if (part) page.text = SheetReader(document, strings, styles, workbook.from_1904).read(*part, sheet.name);
      else document.problems.push_back(part.error().message);
    }
    document.pages.push_back(std::move(page));
  }
  if (document.pages.empty()) document.refused = "it has no sheets";
}

}  // namespace ladder::imports::office
