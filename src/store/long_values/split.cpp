// The second pass: writes long values to the sink and returns the row's body. Containers are cut from the input text in
// place; only strings with escapes are decoded, piece by piece.
#include "store/long_values/split.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "crypto/hash.h"
#include "json/scan/scan.h"
#include "store/long_values/directory.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ladder::store {
namespace {

constexpr std::string_view kJsonMimeType = "application/json";

// Calls use(piece) with a string's decoded text, in pieces of complete code points. Text without escapes is not copied.
template <class Use>
Status each_piece(std::string_view raw, Use use) {
  if (raw.find('\\') == std::string_view::npos) return use(raw);
  std::string piece;
  for (json::StringDecoder decoder(raw); decoder.next(piece, kPieceBytes);) LADDER_CHECK(use(std::string_view(piece)));
  return {};
}

// Cuts text that arrives in pieces into chunks of a fixed number of characters.
class ChunkCutter {
 public:
  ChunkCutter(ValueSink& sink, ValueId id, std::int64_t chunk_chars) : sink_(sink), id_(id), chunk_chars_(chunk_chars) {}

  Status feed(std::string_view text) {
    while (!text.empty()) {
      const std::int64_t wanted = chunk_chars_ - open_chars_;
      const std::size_t length = utf8::offset_of(text, wanted);
      const std::int64_t taken = length == text.size() ? utf8::count(text) : wanted;
      const std::string_view part = text.substr(0, length);
      text.remove_prefix(length);
      if (open_chars_ == 0 && taken == chunk_chars_) {
        LADDER_CHECK(sink_.put_chunk(id_, next_no_++, part));
        continue;
      }
      open_ += part;
      open_chars_ += taken;
      if (open_chars_ == chunk_chars_) LADDER_CHECK(finish());
    }
    return {};
  }

  Status finish() {  // writes the last chunk, if one is open
    if (open_chars_ == 0) return {};
    LADDER_CHECK(sink_.put_chunk(id_, next_no_++, open_));
    open_.clear();
    open_chars_ = 0;
    return {};
  }

 private:
  ValueSink& sink_;
  ValueId id_;
  std::int64_t chunk_chars_;
  std::int64_t next_no_ = 0;
  std::string open_;
  std::int64_t open_chars_ = 0;
};

// Counts the code points before a byte offset. Offsets must ascend; each part of the text is counted once.
class CharCounter {
 public:
  explicit CharCounter(std::string_view text) : text_(text) {}

  std::int64_t before(const char* byte) {
    const auto at = static_cast<std::size_t>(byte - text_.data());
    chars_ += utf8::count(text_.substr(at_, at - at_));
    at_ = at;
    return chars_;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::int64_t chars_ = 0;
};

const char* begin_of(std::string_view text) { return text.data(); }
const char* end_of(std::string_view text) { return text.data() + text.size(); }

class LongValueSplitter {
 public:
  LongValueSplitter(ValueSink& sink, ValueId first_id) : sink_(sink), next_id_(first_id) {}

  Result<LongRef> put(std::string_view raw_name, const json::Value& value) {
    return value.kind == json::Kind::kString ? put_string(value, raw_name) : put_container(value);
  }

 private:
  Result<LongRef> put_string(const json::Value& value,
                             std::optional<std::string_view> raw_name = {});  // of a member of the record
  Result<LongRef> put_container(const json::Value& value);
  // Writes the directories of a large container and of containers inside it; `own` says where its text is.
  Status put_directory(const json::Value& value, const LongRef& own, CharCounter& counter);
  Status list_members(std::string_view text, const LongRef& own, CharCounter& counter, DirectoryBuilder& builder);
  Status list_elements(std::string_view text, const LongRef& own, CharCounter& counter, DirectoryBuilder& builder);
  // Writes a value inside `around` that is long itself; afterwards the counter is at its end.
  Result<LongRef> put_nested(const json::Value& value, const LongRef& around, CharCounter& counter);

  ValueSink& sink_;
  ValueId next_id_;
};

Result<LongRef> LongValueSplitter::put_string(const json::Value& value, std::optional<std::string_view> raw_name) {
  const std::string_view raw = json::raw_content(value);
  Measure measure;
  LADDER_CHECK(each_piece(raw, [&](std::string_view piece) -> Status {
    measure.feed(piece);
    return {};
  }));
  LongRef ref;
  ref.id = ref.text_id = next_id_++;
  ref.kind = json::Kind::kString;
  ref.value_class = measure.looks_base64() ? ValueClass::kBase64 : ValueClass::kText;
  ref.size_chars = measure.chars();
  ref.size_bytes = measure.bytes();
  ref.chunk_chars = measure.chunk_chars();
  if (ref.value_class == ValueClass::kBase64) ref.mime_type = measure.sniffed_mime_type();
  if (raw_name && ref.value_class == ValueClass::kText) LADDER_CHECK(sink_.begin_text(ref.id, json::decode_string(*raw_name)));
  crypto::Sha256 hash;
  ChunkCutter cutter(sink_, ref.id, ref.chunk_chars);
  LADDER_CHECK(each_piece(raw, [&](std::string_view piece) -> Status {
    hash.update(piece);
    return cutter.feed(piece);
  }));
  LADDER_CHECK(cutter.finish());
  ref.digest = hash.finish();
  return ref;
}

Result<LongRef> LongValueSplitter::put_container(const json::Value& value) {
  Measure measure;
  measure.feed(value.text);
  LongRef ref;
  ref.id = ref.text_id = next_id_++;
  ref.kind = value.kind;
  ref.value_class = ValueClass::kJson;
  ref.size_chars = measure.chars();
  ref.size_bytes = measure.bytes();
  ref.chunk_chars = measure.chunk_chars();
  ref.digest = crypto::sha256(value.text);
  ref.mime_type = kJsonMimeType;
  ChunkCutter cutter(sink_, ref.id, ref.chunk_chars);
  LADDER_CHECK(cutter.feed(value.text));
  LADDER_CHECK(cutter.finish());
  if (is_large_container(value)) {
    CharCounter counter(value.text);
    LADDER_CHECK(put_directory(value, ref, counter));
  }
  return ref;
}

Status LongValueSplitter::put_directory(const json::Value& value, const LongRef& own, CharCounter& counter) {
  DirectoryBuilder builder;
  LADDER_CHECK(value.kind == json::Kind::kObject ? list_members(value.text, own, counter, builder)
                                                 : list_elements(value.text, own, counter, builder));
  return builder.finish([&](std::int64_t first, std::string_view page) { return sink_.put_directory_page(own.id, first, page); });
}

Status LongValueSplitter::list_members(std::string_view text, const LongRef& own, CharCounter& counter,
                                       DirectoryBuilder& builder) {
  for (json::Members walk(text); walk.next();) {
    DirectoryEntry entry;
    const std::string_view raw_name = walk.raw_name();
    entry.key = raw_name.find('\\') == std::string_view::npos ? name_key(raw_name) : name_key(json::decode_string(raw_name));
    const std::int64_t start = counter.before(text.data() + walk.member_offset());
    if (leaves_container(walk.value())) {
      LADDER_TRY(const LongRef nested, put_nested(walk.value(), own, counter));
      entry.reference = format_reference(nested);
    }
    entry.start_chars = start - own.text_start;
    entry.size_chars = counter.before(end_of(walk.value().text)) - start;
    builder.add(std::move(entry), raw_name);
  }
  return {};
}

Status LongValueSplitter::list_elements(std::string_view text, const LongRef& own, CharCounter& counter,
                                        DirectoryBuilder& builder) {
  DirectoryEntry run;               // consecutive small elements
  const char* run_begin = nullptr;  // null when there is no run
  const auto close_run = [&] {
    if (run_begin != nullptr) builder.add(std::exchange(run, {}));
    run_begin = nullptr;
  };
  std::int64_t index = 0;
  for (json::Elements walk(text); walk.next(); ++index) {
    const json::Value& value = walk.value();
    const std::int64_t start = counter.before(begin_of(value.text));
    if (leaves_container(value)) {
      close_run();
      LADDER_TRY(const LongRef nested, put_nested(value, own, counter));
      const std::int64_t end = counter.before(end_of(value.text));
      builder.add({index, 1, start - own.text_start, end - start, format_reference(nested)});
      continue;
    }
    const char* const end = end_of(value.text);
    if (run_begin != nullptr && static_cast<std::size_t>(end - run_begin) > limits::kInlineContainerBytes) close_run();
    if (run_begin == nullptr) {
      run_begin = value.text.data();
      run.key = index;
      run.start_chars = start - own.text_start;
    }
    run.count = index - run.key + 1;
    run.size_chars = counter.before(end) - own.text_start - run.start_chars;
  }
  close_run();
  return {};
}

Result<LongRef> LongValueSplitter::put_nested(const json::Value& value, const LongRef& around, CharCounter& counter) {
  if (value.kind == json::Kind::kString) return put_string(value);
  LongRef ref;
  ref.id = next_id_++;
  ref.kind = value.kind;
  ref.value_class = ValueClass::kJson;
  ref.size_bytes = static_cast<std::int64_t>(value.text.size());
  ref.chunk_chars = around.chunk_chars;
  ref.text_id = around.text_id;
  ref.text_start = counter.before(begin_of(value.text));
  ref.digest = crypto::sha256(value.text);
  ref.mime_type = kJsonMimeType;
  LADDER_CHECK(put_directory(value, ref, counter));
  ref.size_chars = counter.before(end_of(value.text)) - ref.text_start;
  return ref;
}

void append_name(std::string& body, std::string_view raw_name) {
  body += body.empty() ? "{\"" : ",\"";
  body += raw_name;
  body += "\":";
}

}  // namespace

Result<std::string> split_long_values(const json::Value& data, const SplitPlan& plan, ValueId first_id, ValueSink& sink) {
  // The row would have as many bytes as the input: no value leaves it and there is no white space between its members.
  if (plan.outlined.empty() && plan.inline_bytes == data.text.size()) return std::string(data.text);
  LongValueSplitter splitter(sink, first_id);
  std::string body;
  body.reserve(plan.inline_bytes + plan.outlined.size() * kMaxReferenceBytes);
  auto outlined = plan.outlined.begin();
  std::size_t member = 0;
  for (json::Members walk(data.text); walk.next(); ++member) {
    append_name(body, walk.raw_name());
    if (outlined == plan.outlined.end() || outlined->member != member) {
      body += walk.value().text;
      continue;
    }
    LADDER_TRY(const LongRef ref, splitter.put(walk.raw_name(), walk.value()));
    body += format_reference(ref);
    ++outlined;
  }
  body += body.empty() ? "{}" : "}";
  return body;
}

// The first pass over a record determines which values leave the row and how many ids they need. An ordinary record,
// without long values, is walked once and nothing is allocated.

namespace {

std::unexpected<Error> over_limit(std::string message) { return fail(Code::kInvalidRecord, std::move(message), "data"); }

// Counts the long values inside a large object or array.
class NestedCount {
 public:
  explicit NestedCount(SplitPlan& plan) : plan_(plan) {}

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

  SplitPlan& plan_;
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

// Returns whether moving the value out of the row could make room.
bool may_leave_row(const json::Value& value) {
  const bool has_text =
      value.kind == json::Kind::kString || value.kind == json::Kind::kObject || value.kind == json::Kind::kArray;
  return has_text && value.text.size() > kMaxReferenceBytes;
}

std::size_t row_bytes(const SplitPlan& plan) { return plan.inline_bytes + plan.outlined.size() * kMaxReferenceBytes; }

// Moves the largest values out, one by one, until the row fits.
Status make_room(const json::Value& data, SplitPlan& plan) {
  std::vector<SplitPlan::Outlined> candidates;
  std::size_t member = 0;
  for (json::Members walk(data.text); walk.next(); ++member) {
    if (may_leave_row(walk.value()) && !leaves_row(walk.value())) candidates.push_back({member, walk.value()});
  }
  std::ranges::stable_sort(candidates, std::greater{}, [](const auto& candidate) { return candidate.value.text.size(); });
  for (const SplitPlan::Outlined& candidate : candidates) {
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
  std::ranges::sort(plan.outlined, {}, &SplitPlan::Outlined::member);
  return {};
}

std::size_t decoded_bytes(const json::Value& string) {
  std::size_t bytes = 0;
  std::string piece;
  for (json::StringDecoder decoder(json::raw_content(string)); decoder.next(piece, kPieceBytes);) bytes += piece.size();
  return bytes;
}

Status count_outlined(const json::Value& value, SplitPlan& plan) {
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

Result<SplitPlan> plan_split(const json::Value& data) {
  SplitPlan plan;
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
  for (const SplitPlan::Outlined& outlined : plan.outlined) LADDER_CHECK(count_outlined(outlined.value, plan));
  return plan;
}

}  // namespace ladder::store
