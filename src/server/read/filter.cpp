#include "server/read/filter.h"

#include "base/text/bytes.h"
#include "base/text/format.h"
#include "base/text/number.h"
#include "server/catalog/indexing.h"
#include "store/index/field_index.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace ladder::server {
namespace {

using FieldCondition = RecordFilter::Condition;
using Op = RecordFilter::Op;
using store::IndexKind;

constexpr std::array<std::pair<std::string_view, Op>, 4> kOps = {
    {{"gte", Op::kGreaterEqual}, {"gt", Op::kGreater}, {"lte", Op::kLessEqual}, {"lt", Op::kLess}}};

bool is_number(std::string_view text) {
  const auto value = parse_number<double>(text);
  return value && std::isfinite(*value);
}

bool holds(const FieldCondition& condition, const std::string& value) {
  switch (condition.op) {
    case Op::kEqual:
      return value == condition.value;
    case Op::kGreaterEqual:
      return value >= condition.value;
    case Op::kGreater:
      return value > condition.value;
    case Op::kLessEqual:
      return value <= condition.value;
    case Op::kLess:
      return value < condition.value;
  }
  return false;
}

std::unexpected<Error> wrong(std::string message, const std::string& field) {
  return fail(Code::kInvalidRequest, std::move(message), format("filter[{}]", field));
}

Result<Op> declared_op(const model::Stream& stream, const api::Filter& filter) {
  if (filter.op.empty()) return Op::kEqual;
  const auto declared = stream.range_filters.find(filter.field);
  if (declared == stream.range_filters.end() || std::ranges::find(declared->second, filter.op) == declared->second.end()) {
    std::string allowed;
    if (declared != stream.range_filters.end()) {
      for (const std::string& op : declared->second) allowed += (allowed.empty() ? "" : ", ") + op;
    }
    return wrong(format("stream \"{}\" declares no filter {}[{}]; {}", stream.name, filter.field, filter.op,
                        allowed.empty() ? "that field is filtered by its exact value only" : "that field allows " + allowed),
                 filter.field);
  }
  return std::ranges::find(kOps, filter.op, [](const auto& pair) { return pair.first; })->second;
}

Result<std::string> literal(const model::Field& field, IndexKind kind, const std::string& text) {
  if (kind == IndexKind::kTime) {
    if (const auto time = parse_field_time(text)) return store::index_value(*time);
    return wrong(format("\"{}\" is a time; write it as 2026-04-01 or 2026-04-01T00:00:00Z", field.name), field.name);
  }
  if (kind == IndexKind::kNumber) {
    if (is_number(text)) return store::index_number(text);
    return wrong(format("\"{}\" is a number; write it in digits", field.name), field.name);
  }
  if (field.type == model::FieldType::kBoolean && text != "true" && text != "false") {
    return wrong(format("\"{}\" is true or false", field.name), field.name);
  }
  return store::index_text(text);
}

Result<FieldCondition> condition(const model::Stream& stream, const model::Field& field, const api::Filter& filter) {
  const auto kind = index_kind(field);
  if (!kind) return wrong(format("\"{}\" is not of one scalar type, so it can't be filtered by", field.name), field.name);
  FieldCondition made;
  made.field = field.name;
  made.kind = *kind;
  LADDER_TRY(made.op, declared_op(stream, filter));
  LADDER_TRY(made.value, literal(field, *kind, filter.value));
  return made;
}

}  // namespace

Result<RecordFilter> RecordFilter::compile(const model::Stream& stream, const grant::StreamGrant* granted,
                                           const std::vector<api::Filter>& filters) {
  RecordFilter compiled;
  for (const api::Filter& filter : filters) {
    const model::Field* field = stream.field(filter.field);
    if (!field) {
      return fail(Code::kUnknownField, format("stream \"{}\" declares no field \"{}\"", stream.name, filter.field),
                  format("filter[{}]", filter.field));
    }
    if (granted) LADDER_CHECK(grant::check_field(*granted, stream, filter.field));
    LADDER_TRY(FieldCondition made, condition(stream, *field, filter));
    compiled.conditions_.push_back(std::move(made));
    for (const std::string& part : {filter.field, filter.op, filter.value}) put_sized(compiled.fingerprint_, part);
  }
  return compiled;
}

std::optional<RecordFilter> RecordFilter::equal(const model::Field& field, std::string_view text) {
  const auto kind = index_kind(field);
  if (!kind) return std::nullopt;
  auto value = literal(field, *kind, std::string(text));
  if (!value) return std::nullopt;
  RecordFilter filter;
  filter.conditions_.push_back({field.name, Op::kEqual, *kind, *std::move(value)});
  return filter;
}

RecordFilter RecordFilter::in_time(const std::string& field, Instant from, Instant to) const {
  RecordFilter filter = *this;
  filter.conditions_.push_back({field, Op::kGreaterEqual, IndexKind::kTime, store::index_value(from)});
  filter.conditions_.push_back({field, Op::kLess, IndexKind::kTime, store::index_value(to)});
  return filter;
}

// A value of another type than the field's never matches.
bool RecordFilter::matches(const json::Value& row_body) const {
  return std::ranges::all_of(conditions_, [&](const FieldCondition& condition) {
    const auto stored = json::member(row_body.text, condition.field);
    const auto value = stored ? store::index_value(condition.kind, *stored) : std::nullopt;
    return value && holds(condition, *value);
  });
}

}  // namespace ladder::server
