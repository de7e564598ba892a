// Parses the RECORD line, in one pass over the members of the envelope and one over those of data. Decodes only the
// short values that Ladder itself uses.
#include "model/envelope.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/time/time.h"
#include "model/quote.h"

#include <algorithm>
#include <deque>
#include <vector>

namespace ladder::model {
namespace {

constexpr std::size_t kMaxTimeBytes = 64;  // longer than any RFC 3339 time in use

std::unexpected<Error> refuse(std::string_view member, std::string message) {
  return fail(Code::kInvalidRecord, std::move(message), std::string(member));
}

// The names of one object, to find duplicates. Names are compared decoded, since "a" and "\u0061" are the same.
class Names {
 public:
  void add(std::string_view raw) {
    if (raw.find('\\') == std::string_view::npos) {
      names_.push_back(raw);
    } else {
      decoded_.push_back(json::decode_string(raw));
      names_.push_back(decoded_.back());
    }
  }
  std::size_t size() const { return names_.size(); }

  // Returns nullopt if there is none. Sorts the names.
  std::optional<std::string_view> duplicate() {
    std::ranges::sort(names_);
    const auto found = std::ranges::adjacent_find(names_);
    if (found == names_.end()) return std::nullopt;
    return *found;
  }

 private:
  std::vector<std::string_view> names_;
  std::deque<std::string> decoded_;  // a deque, since views into it must stay valid
};

Status check_names(Names& names, std::string_view object) {
  if (const auto twice = names.duplicate()) {
    return refuse(object, format("{} has the member {} twice; remove one", object, in_quotes(*twice)));
  }
  return {};
}

// A short string member; values longer than `most` bytes are invalid and not decoded.
Result<std::string> short_text(std::string_view name, const json::Value& value, std::size_t most) {
  if (value.kind != json::Kind::kString) return refuse(name, format("\"{}\" must be a string", name));
  if (value.text.size() > 6 * most + 2) return refuse(name, format("\"{}\" is longer than {} bytes", name, most));
  return json::decode_string(json::raw_content(value));
}

Status read_op(const json::Value& value, Envelope& out) {
  LADDER_TRY(const std::string op, short_text("op", value, limits::kMaxNameBytes));
  out.is_delete = op == "delete";
  if (!out.is_delete && op != "upsert") return refuse("op", format("op is {}; it must be upsert or delete", in_quotes(op)));
  return {};
}

Status read_emitted_at(const json::Value& value, Envelope& out) {
  LADDER_TRY(out.emitted_at, short_text("emitted_at", value, kMaxTimeBytes));
  if (parse_time(out.emitted_at)) return {};
  return refuse("emitted_at",
                format("emitted_at is {}; write an RFC 3339 time such as 2026-04-01T00:00:01Z", in_quotes(out.emitted_at)));
}

Status read_member(std::string_view raw_name, const json::Value& value, Envelope& out, bool& has_data) {
  if (json::name_equals(raw_name, "stream")) {
    LADDER_TRY(out.stream, short_text("stream", value, limits::kMaxNameBytes));
  } else if (json::name_equals(raw_name, "key")) {
    out.key = value;
  } else if (json::name_equals(raw_name, "data")) {
    has_data = true;
    out.data = value;
  } else if (json::name_equals(raw_name, "emitted_at")) {
    return read_emitted_at(value, out);
  } else if (json::name_equals(raw_name, "op")) {
    return read_op(value, out);
  }
  return {};
}

}  // namespace

Status check_data_names(std::string_view object_text) {
  Names names;
  for (json::Members each(object_text); each.next();) {
    if (names.size() == limits::kMaxObjectMembers) {
      return refuse("data", format("data has more than {} members", limits::kMaxObjectMembers));
    }
    names.add(each.raw_name());
  }
  return check_names(names, "data");
}

Result<Envelope> read_envelope(std::string_view checked_line) {
  const json::Value line = json::value_of(checked_line);
  if (line.kind != json::Kind::kObject) {
    return fail(Code::kMalformedNdjson,
                "the line is not a JSON object; every line is one RECORD such as {\"key\":\"n1\",\"data\":{…}}");
  }
  Envelope out;
  bool has_data = false;
  Names names;
  for (json::Members each(line.text); each.next();) {
    if (names.size() == limits::kMaxObjectMembers) {
      return refuse("", format("the envelope has more than {} members", limits::kMaxObjectMembers));
    }
    names.add(each.raw_name());
    LADDER_CHECK(read_member(each.raw_name(), each.value(), out, has_data));
  }
  LADDER_CHECK(check_names(names, "the envelope"));
  if (out.data.kind == json::Kind::kObject) {
    LADDER_CHECK(check_data_names(out.data.text));
    return out;
  }
  if (has_data && out.data.kind != json::Kind::kNull) return refuse("data", "\"data\" must be an object");
  if (!out.is_delete) return refuse("data", "\"data\" is missing; an upsert carries the record there");
  out.data = json::Value{};
  return out;
}

}  // namespace ladder::model
