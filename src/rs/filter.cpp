#include "rs/filter.h"

#include "base/bytes.h"
#include "base/format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace ladder::rs {
namespace {

using model::FieldType;

std::optional<double> to_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool is_scalar(FieldType type) {
  return type == FieldType::kBoolean || type == FieldType::kInteger || type == FieldType::kNumber || type == FieldType::kString;
}

// A scalar as the text that a condition names it by.
std::optional<std::string> scalar_text(const json::Value& value) {
  switch (value.kind) {
    case json::Kind::kString:
      return json::decode_string(json::raw_content(value));
    case json::Kind::kNumber:
    case json::Kind::kBool:
      return std::string(value.text);
    default:
      return std::nullopt;
  }
}

template <class T, class Op>
bool compare(const T& left, Op op, const T& right) {
  switch (op) {
    case Op::kEqual:
      return left == right;
    case Op::kGreaterEqual:
      return left >= right;
    case Op::kGreater:
      return left > right;
    case Op::kLessEqual:
      return left <= right;
    case Op::kLess:
      return left < right;
  }
  return false;
}

std::unexpected<Error> wrong(std::string message, const std::string& field) {
  return fail(Code::kInvalidRequest, std::move(message), format("filter[{}]", field));
}

}  // namespace

Result<RecordFilter> RecordFilter::compile(const model::Stream& stream, const grant::StreamGrant* granted,
                                           const std::vector<port::Filter>& filters) {
  RecordFilter compiled;
  for (const port::Filter& filter : filters) {
    const model::Field* field = stream.field(filter.field);
    if (!field) {
      return fail(Code::kUnknownField, format("stream \"{}\" declares no field \"{}\"", stream.name, filter.field),
                  format("filter[{}]", filter.field));
    }
    if (granted) LADDER_CHECK(grant::check_field(*granted, stream, filter.field));
    LADDER_TRY(Condition made, condition(stream, *field, filter));
    compiled.conditions_.push_back(std::move(made));
    for (const std::string& part : {filter.field, filter.op, filter.value}) {
      put_varint(compiled.fingerprint_, part.size());
      compiled.fingerprint_ += part;
    }
  }
  return compiled;
}

Result<RecordFilter::Condition> RecordFilter::condition(const model::Stream& stream, const model::Field& field,
                                                        const port::Filter& filter) {
  if (!is_scalar(field.type)) {
    return wrong(format("\"{}\" is not of one scalar type, so it can't be filtered by", field.name), field.name);
  }
  Condition made;
  made.field = field.name;
  made.text = filter.value;
  made.is_time = field.is_time();
  made.is_number = field.type == FieldType::kInteger || field.type == FieldType::kNumber;
  static constexpr std::pair<std::string_view, Op> kOps[] = {
      {"gte", Op::kGreaterEqual}, {"gt", Op::kGreater}, {"lte", Op::kLessEqual}, {"lt", Op::kLess}};
  if (!filter.op.empty()) {
    const auto declared = stream.range_filters.find(field.name);
    if (declared == stream.range_filters.end() || std::ranges::find(declared->second, filter.op) == declared->second.end()) {
      return wrong(
          format("stream \"{}\" declares no filter {}[{}]; schema lists what it declares", stream.name, field.name, filter.op),
          field.name);
    }
    made.op = std::ranges::find(kOps, filter.op, [](const auto& pair) { return pair.first; })->second;
  }
  if (made.is_time) {
    const auto time = parse_time(filter.value);
    if (!time) return wrong(format("\"{}\" is a time; give it as 2026-04-01 or 2026-04-01T00:00:00Z", field.name), field.name);
    made.time = *time;
  } else if (made.is_number) {
    const auto number = to_number(filter.value);
    if (!number) return wrong(format("\"{}\" is a number; give it in digits", field.name), field.name);
    made.number = *number;
  } else if (field.type == FieldType::kBoolean && filter.value != "true" && filter.value != "false") {
    return wrong(format("\"{}\" is true or false", field.name), field.name);
  }
  return made;
}

bool RecordFilter::matches(const json::Value& row_body) const {
  return std::ranges::all_of(conditions_, [&](const Condition& condition) {
    const auto value = json::member(row_body.text, condition.field);
    return value && holds(condition, *value);
  });
}

// A value of another kind than the field's matches nothing; neither does one that has left the row, since it is longer than any
// value that a condition could name.
bool RecordFilter::holds(const Condition& condition, const json::Value& value) {
  const auto text = scalar_text(value);
  if (!text) return false;
  if (condition.is_time) {
    const auto time = parse_time(*text);
    return time && compare(*time, condition.op, condition.time);
  }
  if (condition.is_number) {
    if (condition.op == Op::kEqual && *text == condition.text) return true;  // exact, whatever the number of digits
    const auto number = to_number(*text);
    const bool beyond_doubles = text->size() > 15 || condition.text.size() > 15;
    if (condition.op == Op::kEqual && beyond_doubles) return false;
    return number && compare(*number, condition.op, condition.number);
  }
  return compare(*text, condition.op, condition.text);
}

}  // namespace ladder::rs
