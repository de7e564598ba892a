#include "import/formats/table/table_plan.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/time/time.h"
#include "import/text/text.h"
#include "json/parse.h"
#include "json/writer.h"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <charconv>

namespace ladder::imports {
namespace {

std::string shown(std::string_view cell) {
  return format("'{}{}'", replace_invalid(cell.substr(0, 40)), cell.size() > 40 ? "…" : "");
}

// Returns true if the character at `at` is a thousands separator: groups of two (as in India) or three digits follow, and the
// last one has three.
bool parts_thousands(std::string_view cell, std::size_t at) {
  const char mark = cell[at];
  if (mark != ',' && mark != '.' && mark != '\'' && mark != ' ') return false;
  std::size_t end = at + 1;
  while (end < cell.size() && is_digit(cell[end])) ++end;
  const std::size_t digits = end - at - 1;
  return end < cell.size() && cell[end] == mark ? digits == 2 || digits == 3 : digits == 3;
}

// Converts a number to JSON syntax: sign, digits, decimal point. The digits are not changed, so nothing is rounded.
std::optional<std::string> number_text(std::string_view cell, char decimal, bool whole) {
  std::string out;
  bool negative = false, digits = false, fraction = false;
  if (cell.size() >= 2 && cell.front() == '(' && cell.back() == ')') {  // accounting notation
    negative = true;
    cell = trim(cell.substr(1, cell.size() - 2));
  }
  if (cell.ends_with('-') && cell.size() > 1) {
    negative = true;
    cell.remove_suffix(1);
  }
  for (std::size_t i = 0; i < cell.size(); ++i) {
    const char c = cell[i];
    if (is_digit(c)) {
      out += c;
      digits = true;
    } else if ((c == '-' || c == '+') && i == 0) {
      negative = negative || c == '-';
    } else if (c == decimal && !fraction) {
      if (whole) return std::nullopt;
      if (out.empty()) out += '0';
      out += '.';
      fraction = true;
    } else if (!fraction && digits && parts_thousands(cell, i)) {
      continue;
    } else if ((c == 'e' || c == 'E') && digits && !whole) {
      const std::string_view exponent = cell.substr(i + 1);
      const std::size_t sign = !exponent.empty() && (exponent[0] == '-' || exponent[0] == '+') ? 1 : 0;
      if (exponent.size() <= sign || exponent.size() > 5 ||
          exponent.find_first_not_of("0123456789", sign) != std::string_view::npos)
        return std::nullopt;
      if (out.ends_with('.')) out += '0';
      out.append("e").append(exponent);
      break;
    } else {
      return std::nullopt;
    }
  }
  if (!digits) return std::nullopt;
  if (out.ends_with('.')) out.pop_back();
  std::size_t zeros = 0;
  while (zeros + 1 < out.size() && out[zeros] == '0' && is_digit(out[zeros + 1])) ++zeros;
  out.erase(0, zeros);
  return negative ? "-" + out : out;
}

// Three numbers with any separators, optionally followed by a time of day.
std::optional<Instant> instant_in_cell(std::string_view cell, std::string_view order) {
  if (const auto time = parse_time(cell)) return time;
  std::array<int, 6> numbers{};
  std::array<int, 6> digits{};
  std::size_t found = 0;
  for (std::size_t i = 0; i < cell.size() && found < numbers.size();) {
    if (!is_digit(cell[i])) {
      ++i;
      continue;
    }
    while (i < cell.size() && is_digit(cell[i]) && digits[found] < 5) {
      numbers[found] = numbers[found] * 10 + (cell[i++] - '0');
      ++digits[found];
    }
    ++found;
  }
  if (found < 3) return std::nullopt;
  const bool year_first = digits[0] == 4;
  int year = year_first ? numbers[0] : numbers[2], month = numbers[1], day = year_first ? numbers[2] : numbers[0];
  if (!year_first && order == "MDY") std::swap(month, day);
  if (year < 100) year += year < 70 ? 2000 : 1900;
  if (year > 9999 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) return std::nullopt;
  int hour = found > 3 ? numbers[3] : 0;
  const std::string lower = lower_ascii(cell);
  if (lower.ends_with("pm") && hour < 12) hour += 12;
  if (lower.ends_with("am") && hour == 12) hour = 0;
  if (hour > 23 || numbers[4] > 59 || numbers[5] > 59) return std::nullopt;
  return days_of({year, month, day}) * kDay + ((hour * 60 + numbers[4]) * 60 + numbers[5]) * kSecond;
}

std::optional<std::string> boolean_text(std::string_view cell) {
  const std::string lower = lower_ascii(cell);
  if (lower == "true" || lower == "yes" || lower == "y" || lower == "1") return "true";
  if (lower == "false" || lower == "no" || lower == "n" || lower == "0") return "false";
  return std::nullopt;
}

std::string json_text(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

}  // namespace

std::expected<std::optional<std::string>, std::string> cell_json(std::string_view utf8, const CellRule& rule) {
  if (rule.type == CellType::kText) return utf8.empty() ? std::optional<std::string>() : json_text(utf8);
  const std::string_view cell = trim(utf8);
  if (cell.empty()) return std::nullopt;
  std::optional<std::string> value;
  std::string_view what = "number";
  switch (rule.type) {
    case CellType::kInteger:
      value = number_text(cell, rule.decimal, true), what = "whole number";
      break;
    case CellType::kNumber:
      value = number_text(cell, rule.decimal, false);
      break;
    case CellType::kBoolean:
      value = boolean_text(cell), what = "yes or no";
      break;
    case CellType::kDate:
    case CellType::kTime:
      what = "date";
      if (const auto instant = instant_in_cell(cell, rule.date_order)) {
        const std::string text = format_time(*instant);
        value = json_text(rule.type == CellType::kDate ? text.substr(0, 10) : text);
      }
      break;
    case CellType::kText:
      break;
  }
  if (!value) return std::unexpected(format("{} is no {}", shown(cell), what));
  return value;
}

namespace {

std::string text_member(const boost::json::value* schema, const char* name) {
  const boost::json::object* object = schema ? schema->if_object() : nullptr;
  const boost::json::value* member = object ? object->if_contains(name) : nullptr;
  const boost::json::string* text = member ? member->if_string() : nullptr;
  return text ? std::string(text->data(), text->size()) : std::string();
}

bool is_key(const model::Stream& stream, const model::Field& field) {
  return std::ranges::find(stream.primary_key, field.name) != stream.primary_key.end();
}

CellType type_of(const model::Field& field) {
  switch (field.type) {
    case model::FieldType::kInteger:
      return CellType::kInteger;
    case model::FieldType::kNumber:
      return CellType::kNumber;
    case model::FieldType::kBoolean:
      return CellType::kBoolean;
    default:
      break;
  }
  if (field.type == model::FieldType::kString && field.format == "date") return CellType::kDate;
  return field.is_time() ? CellType::kTime : CellType::kText;
}

}  // namespace

const TableColumn* TablePlan::digest() const {
  for (const TableColumn& column : columns) {
    if (column.is_digest) return &column;
  }
  return nullptr;
}

const model::Stream* stream_for(const model::SourceDeclaration& declaration, std::string_view file_stem) {
  for (const model::Stream& stream : declaration.streams) {
    if (lower_ascii(stream.name) == lower_ascii(file_stem)) return &stream;
  }
  return declaration.streams.size() == 1 ? &declaration.streams.front() : nullptr;
}

Result<TablePlan> plan_table(const model::Stream& stream) {
  LADDER_TRY(const boost::json::value schema,
             json::parse(stream.schema_json, ladder::limits::kMaxDeclarationBytes, ladder::limits::kMaxJsonDepth));
  const boost::json::object* object = schema.if_object();
  const boost::json::value* properties = object ? object->if_contains("properties") : nullptr;
  const boost::json::object* named = properties ? properties->if_object() : nullptr;
  TablePlan plan{&stream, {}};
  for (const model::Field& field : stream.fields) {
    const boost::json::value* property =
        named ? named->if_contains(boost::json::string_view(field.name.data(), field.name.size())) : nullptr;
    TableColumn column{field.name,
                       text_member(property, "x_ladder_column"),
                       {type_of(field), '.', text_member(property, "x_ladder_date")},
                       false,
                       field.nullable,
                       is_key(stream, field) || (field.required && !field.nullable)};
    if (column.column.empty()) column.column = field.name;
    column.is_digest = column.column == kDigestColumn;
    if (text_member(property, "x_ladder_decimal") == ",") column.rule.decimal = ',';
    plan.columns.push_back(std::move(column));
  }
  return plan;
}

}  // namespace ladder::imports
