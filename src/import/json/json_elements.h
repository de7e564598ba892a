// Reads the elements of a large top-level JSON array one at a time. Only one element is in memory. Text before the first bracket
// (`window.YTD.tweets.part0 = `, a byte order mark) is skipped.
#pragma once

#include "base/error/error.h"
#include "import/io/bytes.h"
#include "import/io/limits.h"
#include "import/io/sink.h"
#include "import/json/salvaged_elements.h"
#include "import/tree/tree.h"
#include "import/wire/messages.h"
#include "json/scan/scan.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::imports {

class JsonElements {
 public:
  explicit JsonElements(Bytes& bytes, std::size_t max_element_bytes = limits::kMaxTextBytes)
      : pieces_(bytes, kPieceBytes), max_element_bytes_(max_element_bytes) {}

  enum class Step {
    kElement,  // element() is JSON that json::check accepted
    kBad,      // element() is invalid, or over the limit (then empty); why() explains it; continue with next()
    kEnd,      // the array ended
    kCut,      // the file ended or became unreadable before the array ended; why() explains it
  };
  Result<Step> next();  // returns an error only if `bytes` fails

  std::string_view element() const { return element_; }
  std::int64_t offset() const { return element_offset_; }  // of the element's first byte, relative to the start of `bytes`
  const std::string& why() const { return why_; }

 private:
  static constexpr std::size_t kPieceBytes = 256 * 1024;

  Result<bool> fill();         // reads more bytes; false at the end
  Result<bool> skip_space();   // to the next non-space byte; false at the end
  Result<bool> pass_value();   // skips one value, buffered or not; false if the file ends inside it
  Result<bool> pass_string();  // `at_` is after the opening quote
  Result<Step> enter();        // to the first element
  Result<Step> take_element();
  Step cut(std::string why);

  Pieces pieces_;
  std::size_t max_element_bytes_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::optional<std::size_t> hold_;  // bytes from here on stay in the buffer
  std::int64_t base_ = 0;            // offset of buffer_[0]
  bool started_ = false, ended_ = false, oversized_ = false;
  std::string_view element_;
  std::int64_t element_offset_ = 0;
  std::string why_;
};

// The elements of a JSON file in an export, one at a time: those of a top-level array, or a single top-level value. Unreadable
// elements are reported to the sink with their location.
struct JsonElement {
  json::Value value;      // checked; of any kind
  wire::FileLocation at;  // of its first byte
  std::int64_t end = 0;   // offset of the byte after it in the file
  bool repaired = false;  // it was not valid UTF-8: bytes were decoded as Windows-1252 or replaced

  wire::FileLocation place_of(const json::Value& inside) const;  // of a part of it; its own if it was repaired
};

using TakeElement = std::function<Status(const JsonElement&)>;

// Calls `take` for every element of the array that starts at or after byte `from`. `kind` names an element in messages:
// "conversation". An error of `take` ends the reading; damaged elements and unreadable files do not.
Status read_elements(Tree& tree, EntryNo entry, std::string_view kind, SalvagedElements::Accepts accepts, std::int64_t from,
                     Sink& sink, const TakeElement& take);

// Reads ahead without reporting unreadable elements.
Status scan_elements(Tree& tree, EntryNo entry, SalvagedElements::Accepts accepts, const TakeElement& take);

// Reads the file as one value.
Status read_document(Tree& tree, EntryNo entry, std::string_view kind, Sink& sink, const TakeElement& take);

// Matches "conversations.json" and its parts "conversations-000.json", ignoring case. `stem` is in lower case.
bool is_file_or_part(std::string_view name, std::string_view stem);

}  // namespace ladder::imports
