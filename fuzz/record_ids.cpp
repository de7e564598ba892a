// Record ids: an accepted id is formatted and parsed to the same reference; any three parts can be encoded as an id;
// the identity arguments of a field read agree with each other. Lines: an id, then connection_id, stream and record_id
// (absent lines: absent).
#include "base/limits.h"
#include "base/text/utf8.h"
#include "frame.h"
#include "model/handle.h"
#include "model/record_id.h"

#include <algorithm>

namespace ladder::fuzz {
namespace {

using model::RecordRef;

bool can_be_named(std::string_view part) {
  return !part.empty() && part != "." && part != ".." && part.size() <= limits::kMaxRecordKeyBytes && utf8::is_valid(part);
}

// Ids are printed within lines of text, so none may contain a line break.
bool is_one_line(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

void check_round_trip(const RecordRef& ref) {
  const std::string text = model::format_record_id(ref);
  FUZZ_CHECK(is_one_line(text) && utf8::is_valid(text));
  const auto again = model::parse_record_id(text);
  FUZZ_CHECK(again.has_value());
  FUZZ_CHECK(*again == ref);
  FUZZ_CHECK(model::format_record_id(*again) == text);
}

void check_text(std::string_view text) {
  const auto ref = model::parse_record_id(text);
  if (!ref) {
    FUZZ_CHECK(ref.error().code == Code::kInvalidId || ref.error().code == Code::kInvalidHandle);
    FUZZ_CHECK(utf8::is_valid(ref.error().message));
    return;
  }
  FUZZ_CHECK(can_be_named(ref->stream) && can_be_named(ref->record_id));
  FUZZ_CHECK(ref->connection_id.empty() || can_be_named(ref->connection_id));
  check_round_trip(*ref);
  if (text.starts_with(model::kRecordUriPrefix)) return;
  // A key is escaped exactly if it cannot be part of an id unchanged.
  if (!model::is_safe_name(ref->record_id) || text.find(":/") != std::string_view::npos) {
    const std::string escaped = ref->connection_id + "/" + ref->stream + ":/" + model::escaped_key(ref->record_id);
    if (text == escaped) {
      FUZZ_CHECK(!ref->connection_id.empty() && model::unescaped_key(model::escaped_key(ref->record_id)) == ref->record_id);
      return;
    }
  }
  // A direct id is its parts, joined.
  const std::string joined = ref->stream + ":" + ref->record_id;
  FUZZ_CHECK(text == (ref->connection_id.empty() ? joined : ref->connection_id + "/" + joined));
  for (const std::string_view part : {std::string_view(ref->stream), std::string_view(ref->record_id)}) {
    FUZZ_CHECK(model::is_safe_name(part) && part.find("..") == std::string_view::npos);
  }
}

void check_parts(const RecordRef& ref) {
  const bool nameable =
      (ref.connection_id.empty() || can_be_named(ref.connection_id)) && can_be_named(ref.stream) && can_be_named(ref.record_id);
  if (nameable) check_round_trip(ref);
}

bool agrees(const std::optional<std::string>& given, const std::string& found) { return !given || *given == found; }

void check_identity(const model::IdentityArguments& given) {
  const auto ref = model::resolve_identity(given);
  if (!ref) {
    const Code code = ref.error().code;
    FUZZ_CHECK(code == Code::kInvalidId || code == Code::kInvalidHandle || code == Code::kConflictingConnection);
    FUZZ_CHECK(utf8::is_valid(ref.error().message));
    return;
  }
  FUZZ_CHECK(can_be_named(ref->connection_id) && can_be_named(ref->stream) && can_be_named(ref->record_id));
  FUZZ_CHECK(agrees(given.connection_id, ref->connection_id) && agrees(given.stream, ref->stream) &&
             agrees(given.record_id, ref->record_id));
  FUZZ_CHECK(given.id.has_value() != (given.connection_id && given.stream && given.record_id));
}

}  // namespace

void run(std::string_view input) {
  std::optional<std::string> parts[4];
  for (auto& part : parts) {
    if (!input.empty()) part = take_line(input);
  }
  auto& [id, connection, stream, record] = parts;
  check_text(id.value_or(""));
  check_parts({connection.value_or(""), stream.value_or(""), record.value_or("")});
  check_identity({id, std::nullopt, std::nullopt, std::nullopt});
  check_identity({id, connection, std::nullopt, std::nullopt});
  check_identity({id, connection, stream, record});
  check_identity({id, std::nullopt, stream, record});
  check_identity({std::nullopt, connection, stream, record});
}

}  // namespace ladder::fuzz
