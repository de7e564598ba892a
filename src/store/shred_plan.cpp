// The first pass over a record: which values leave the row, and how many ids that takes. The ordinary record, with nothing long
// in it, is walked once and nothing is allocated.
#include "store/shred.h"

#include "base/format.h"
#include "base/limits.h"
#include "json/escape.h"
#include "store/shred_rules.h"

#include <algorithm>

namespace ladder::store {
namespace {

std::unexpected<Error> over_limit(std::string message) { return fail(Code::kInvalidRecord, std::move(message), "data"); }

// Counts the long values inside a large object or array.
class NestedCount {
 public:
  explicit NestedCount(ShredPlan& plan) : plan_(plan) {}

  Status container(const json::Value& value) {
    return value.kind == json::Kind::kObject ? object(value.text) : array(value.text);
  }

 private:
  Status object(std::string_view text) {
    std::size_t members = 0;
    for (json::Members walk(text); walk.next();) {
      if (++members > limits::kMaxObjectMembers) {
        return over_limit(format("an object inside the record has more than {} members", limits::kMaxObjectMembers));
      }
      const auto before_value = static_cast<std::size_t>(walk.value().text.data() - text.data()) - walk.member_offset();
      if (before_value > limits::kInlineContainerBytes) {
        return over_limit(
            format("a member name, with the white space after it, is over {} bytes", limits::kInlineContainerBytes));
      }
      LADDER_CHECK(value(walk.value()));
    }
    return {};
  }

  Status array(std::string_view text) {
    for (json::Elements walk(text); walk.next();) LADDER_CHECK(value(walk.value()));
    return {};
  }

  Status value(const json::Value& nested) {
    if (!leaves_container(nested)) {
      if (nested.text.size() <= limits::kInlineContainerBytes) return {};
      return over_limit(format("a number inside the record is over {} bytes", limits::kInlineContainerBytes));
    }
    ++plan_.value_count;
    if (nested.kind != json::Kind::kString) return container(nested);
    plan_.text_bytes += static_cast<std::int64_t>(nested.text.size());
    return {};
  }

  ShredPlan& plan_;
};

bool leaves_row(const json::Value& value) {
  switch (value.kind) {
    case json::Kind::kString:
      return is_long_string(value);
    case json::Kind::kObject:
    case json::Kind::kArray:
      return is_large_container(value);
    default:
      return false;
  }
}

// Could make room if it left the row.
bool may_leave_row(const json::Value& value) {
  const bool has_text =
      value.kind == json::Kind::kString || value.kind == json::Kind::kObject || value.kind == json::Kind::kArray;
  return has_text && value.text.size() > kMaxReferenceBytes;
}

std::size_t row_bytes(const ShredPlan& plan) { return plan.inline_bytes + plan.outlined.size() * kMaxReferenceBytes; }

// The largest values leave, one by one, until the row fits.
Status make_room(const json::Value& data, ShredPlan& plan) {
  std::vector<ShredPlan::Outlined> candidates;
  std::size_t member = 0;
  for (json::Members walk(data.text); walk.next(); ++member) {
    if (may_leave_row(walk.value()) && !leaves_row(walk.value())) candidates.push_back({member, walk.value()});
  }
  std::ranges::stable_sort(candidates, std::greater{}, [](const auto& candidate) { return candidate.value.text.size(); });
  for (const ShredPlan::Outlined& candidate : candidates) {
    if (row_bytes(plan) <= limits::kRecordRowBytes) break;
    plan.outlined.push_back(candidate);
    plan.inline_bytes -= candidate.value.text.size();
  }
  if (row_bytes(plan) > limits::kRecordRowBytes) {
    return over_limit(
        format("the record has too many fields or too long names and numbers: without its texts, objects and arrays it is "
               "still over {} bytes",
               limits::kRecordRowBytes));
  }
  std::ranges::sort(plan.outlined, {}, &ShredPlan::Outlined::member);
  return {};
}

std::size_t decoded_bytes(const json::Value& string) {
  std::size_t bytes = 0;
  std::string piece;
  for (json::StringDecoder decoder(json::raw_content(string)); decoder.next(piece, kPieceBytes);) bytes += piece.size();
  return bytes;
}

Status count_outlined(const json::Value& value, ShredPlan& plan) {
  ++plan.value_count;
  plan.text_bytes += static_cast<std::int64_t>(value.text.size());
  const bool is_string = value.kind == json::Kind::kString;
  const std::size_t most = limits::kMaxValueBytes;
  if (value.text.size() > most && (!is_string || decoded_bytes(value) > most)) {
    return over_limit(format("a value of the record is over {} bytes", most));
  }
  if (!is_string && is_large_container(value)) LADDER_CHECK(NestedCount(plan).container(value));
  if (plan.value_count > static_cast<std::int64_t>(limits::kMaxLongValues)) {
    return over_limit(format("the record has more than {} long values", limits::kMaxLongValues));
  }
  return {};
}

}  // namespace

bool is_long_string(const json::Value& string) {
  // No text decodes to more code points than it has bytes.
  if (string.text.size() <= static_cast<std::size_t>(limits::kInlineStringChars)) return false;
  return json::decoded_length(json::raw_content(string)) > static_cast<std::size_t>(limits::kInlineStringChars);
}

bool is_large_container(const json::Value& container) { return container.text.size() > limits::kInlineContainerBytes; }

bool leaves_container(const json::Value& value) {
  switch (value.kind) {
    case json::Kind::kString:
      return value.text.size() > limits::kInlineContainerBytes || is_long_string(value);
    case json::Kind::kObject:
    case json::Kind::kArray:
      return is_large_container(value);
    default:
      return false;
  }
}

Result<ShredPlan> plan_shred(const json::Value& data) {
  ShredPlan plan;
  plan.inline_bytes = 2;  // the braces
  std::size_t member = 0;
  for (json::Members walk(data.text); walk.next(); ++member) {
    const json::Value& value = walk.value();
    plan.inline_bytes += walk.raw_name().size() + 3 + (member > 0 ? 1 : 0);  // its quotes and colon, and a comma
    if (leaves_row(value)) {
      plan.outlined.push_back({member, value});
    } else {
      plan.inline_bytes += value.text.size();
    }
  }
  if (row_bytes(plan) > limits::kRecordRowBytes) LADDER_CHECK(make_room(data, plan));
  for (const ShredPlan::Outlined& outlined : plan.outlined) LADDER_CHECK(count_outlined(outlined.value, plan));
  return plan;
}

}  // namespace ladder::store
