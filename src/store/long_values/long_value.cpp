// The text form of references, and the arithmetic of chunks.
#include "store/long_values/long_value.h"

#include "base/limits.h"
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "base/text/utf8.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace ladder::store {
namespace {

constexpr std::string_view kClassLetters = "tjb";  // in the order of ValueClass

char letter_of(json::Kind kind) {
  switch (kind) {
    case json::Kind::kObject:
      return 'o';
    case json::Kind::kArray:
      return 'a';
    default:
      return 's';
  }
}

std::optional<json::Kind> kind_of(char letter) {
  switch (letter) {
    case 's':
      return json::Kind::kString;
    case 'o':
      return json::Kind::kObject;
    case 'a':
      return json::Kind::kArray;
    default:
      return std::nullopt;
  }
}

// Reads the parts of a reference in order; a missing or non-numeric part sets ok() to false.
class Parts {
 public:
  explicit Parts(std::string_view text) : rest_(text) {}

  std::string_view next() {
    if (ended_) ok_ = false;
    const std::size_t dot = rest_.find('.');
    const std::string_view part = rest_.substr(0, dot);
    ended_ = dot == std::string_view::npos;
    rest_ = ended_ ? std::string_view() : rest_.substr(dot + 1);
    return part;
  }

  std::int64_t next_number() {
    const std::string_view part = next();
    std::int64_t number = -1;
    const auto read = std::from_chars(part.data(), part.data() + part.size(), number);
    if (read.ec != std::errc{} || read.ptr != part.data() + part.size() || number < 0) ok_ = false;
    return number;
  }

  bool ok() const { return ok_; }
  bool ended() const { return ended_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
  bool ended_ = false;
};

std::unexpected<Error> malformed(std::string_view text) {
  Error error{Code::kInternal, "a record has an invalid reference to a long value; run `ladder doctor`"};
  error.log_detail = format("malformed reference {}", text.substr(0, 400));
  return std::unexpected(std::move(error));
}

}  // namespace

std::string format_reference(const LongRef& ref) {
  return format("@{}.{}{}.{}.{}.{}.{}.{}.{}.{}", ref.id, letter_of(ref.kind),
                kClassLetters[static_cast<std::size_t>(ref.value_class)], ref.size_chars, ref.size_bytes, ref.chunk_chars,
                ref.text_id, ref.text_start, to_hex(crypto::view(ref.digest)), to_hex(ref.mime_type));
}

Result<LongRef> parse_reference(std::string_view text) {
  if (!text.starts_with('@')) return malformed(text);
  Parts parts(text.substr(1));
  LongRef ref;
  ref.id = parts.next_number();
  const std::string_view letters = parts.next();
  ref.size_chars = parts.next_number();
  ref.size_bytes = parts.next_number();
  ref.chunk_chars = parts.next_number();
  ref.text_id = parts.next_number();
  ref.text_start = parts.next_number();
  const auto digest = from_hex(parts.next());
  const auto mime_type = from_hex(parts.next());
  if (!parts.ok() || !parts.ended() || letters.size() != 2 || ref.chunk_chars == 0) return malformed(text);
  if (!digest || digest->size() != ref.digest.size() || !mime_type) return malformed(text);
  const auto kind = kind_of(letters[0]);
  const std::size_t value_class = kClassLetters.find(letters[1]);
  if (!kind || value_class == std::string_view::npos) return malformed(text);
  ref.kind = *kind;
  ref.value_class = static_cast<ValueClass>(value_class);
  ref.digest = crypto::to_digest(*digest);
  ref.mime_type = *mime_type;
  return ref;
}

bool same_content(std::string_view reference_a, std::string_view reference_b) {
  const auto a = parse_reference(reference_a);
  const auto b = parse_reference(reference_b);
  return a && b && a->kind == b->kind && a->digest == b->digest;
}

ChunkSpan chunk_span(const LongRef& ref, std::int64_t start, std::int64_t end) {
  return {(ref.text_start + start) / ref.chunk_chars, (ref.text_start + end - 1) / ref.chunk_chars};
}

// Only a boundary inside a chunk needs searching; the ends of a chunk are known.
std::string_view ChunkCut::next(std::string_view chunk) {
  const std::int64_t wanted = std::min(left_, chunk_chars_ - skip_);
  if (skip_ > 0) chunk.remove_prefix(utf8::offset_of(chunk, skip_));
  if (skip_ + wanted < chunk_chars_) chunk = chunk.substr(0, utf8::offset_of(chunk, wanted));
  left_ -= wanted;
  skip_ = 0;
  return chunk;
}

std::string cut_chars(const LongRef& ref, std::span<const std::string> chunks, std::int64_t start, std::int64_t end) {
  ChunkCut cut(ref, start, end);
  std::string text;
  text.reserve(chunks.size() * limits::kChunkBytes);
  for (const std::string& chunk : chunks) text += cut.next(chunk);
  return text;
}

// Measures a value in one pass over its text: size, the widest chunk for each possible size, and whether it is base64.

namespace {

// Every chunk of every size starts at a multiple of this, so the text is counted once for all sizes.
constexpr std::int64_t kStepChars = 300;
static_assert(std::ranges::all_of(kChunkChars, [](std::int64_t chars) { return chars % kStepChars == 0; }));

}  // namespace

void Measure::feed(std::string_view valid_utf8) {
  shape_.feed(valid_utf8);
  std::string_view rest = valid_utf8;
  while (!rest.empty()) {
    const std::int64_t to_border = kStepChars - chars_ % kStepChars;
    const std::size_t length = utf8::offset_of(rest, to_border);
    // Only when the text ends before the boundary is it counted a second time.
    const std::int64_t passed = length == rest.size() ? utf8::count(rest) : to_border;
    chars_ += passed;
    bytes_ += static_cast<std::int64_t>(length);
    for (std::size_t& open : open_bytes_) open += length;
    if (chars_ % kStepChars == 0) close_chunks();
    rest.remove_prefix(length);
  }
}

void Measure::close_chunks() {
  for (std::size_t i = 0; i < kChunkChars.size(); ++i) {
    if (chars_ % kChunkChars[i] != 0) continue;
    widest_[i] = std::max(widest_[i], open_bytes_[i]);
    open_bytes_[i] = 0;
  }
}

std::int64_t Measure::chunk_chars() const {
  for (std::size_t i = 0; i + 1 < kChunkChars.size(); ++i) {
    if (std::max(widest_[i], open_bytes_[i]) <= limits::kChunkBytes) return kChunkChars[i];
  }
  return kChunkChars.back();
}

}  // namespace ladder::store
