// Corrects what Telegram Desktop writes that is not JSON.
#pragma once

#include "import/io/bytes.h"

#include <string>
#include <string_view>

namespace ladder::imports::telegram {

// Reads the file with \xNN, which it writes for control characters, as \u00NN.
class JsonBytes final : public Bytes {
 public:
  explicit JsonBytes(Bytes& bytes) : bytes_(bytes) {}
  Result<std::size_t> read(char* buffer, std::size_t capacity) override;

 private:
  Bytes& bytes_;
  std::string rest_;  // converted, not yet returned
  bool after_backslash_ = false;
};

// Puts quotes around the paths that version 4.1.1 wrote without them: "document_id": stickers/a.webp
std::string with_quoted_paths(std::string_view message);

}  // namespace ladder::imports::telegram
