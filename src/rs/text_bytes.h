// A text in memory as a source of bytes. The text outlives it.
#pragma once

#include "rs/ingest.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace ladder::rs {

class TextBytes final : public ByteSource {
 public:
  explicit TextBytes(std::string_view text) : text_(text) {}
  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    const std::size_t n = std::min(capacity, text_.size());
    std::memcpy(buffer, text_.data(), n);
    text_.remove_prefix(n);
    return n;
  }

 private:
  std::string_view text_;
};

}  // namespace ladder::rs
