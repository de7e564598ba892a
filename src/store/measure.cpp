// What is learned of a value from one pass over its text: size, the widest chunk of each possible size, and whether it is base64.
#include "store/long_value.h"

#include "base/limits.h"
#include "base/utf8.h"

#include <algorithm>

namespace ladder::store {
namespace {

// Every chunk of every size starts on such a border, so that text is counted once for all sizes.
constexpr std::int64_t kStepChars = 300;
static_assert(std::ranges::all_of(kChunkChars, [](std::int64_t chars) { return chars % kStepChars == 0; }));

}  // namespace

void Measure::feed(std::string_view valid_utf8) {
  shape_.feed(valid_utf8);
  std::string_view rest = valid_utf8;
  while (!rest.empty()) {
    const std::int64_t to_border = kStepChars - chars_ % kStepChars;
    const std::size_t length = utf8::offset_of(rest, to_border);
    // The text may end before the border; only then is it counted a second time.
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
