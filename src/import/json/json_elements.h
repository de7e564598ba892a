// The elements of a large JSON array, one at a time: [ … ] at the top, or the array that a member of the top object holds. Memory
// is one element. What stands before the first bracket (`window.YTD.tweets.part0 = `, a byte order mark) is passed over.
#pragma once

#include "base/error/error.h"
#include "import/child/sink.h"
#include "import/json/salvaged_elements.h"
#include "import/limits.h"
#include "import/tree/bytes.h"
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
  // `member`: "" takes the top array; a name takes that member's array of the top object.
  explicit JsonElements(Bytes& bytes, std::string_view member = {}, std::size_t max_element_bytes = limits::kMaxTextBytes);

  enum class Step {
    kElement,  // element() is checked JSON text: json::check passed
    kBad,      // element() is not valid JSON or too large (then empty); why() says so; the next one may be fine
    kEnd,      // the array ended
    kCut,      // the file ended or made no sense before the array did; why() says so
  };
  Result<Step> next();  // an error is one of `bytes`

  std::string_view element() const { return element_; }
  std::int64_t offset() const { return element_offset_; }  // of the element's first byte, from where `bytes` began
  const std::string& why() const { return why_; }

 private:
  Result<bool> fill();                        // more bytes; false at the end
  Result<bool> skip_space();                  // to the next byte that is none; false at the end
  Result<bool> pass_value();                  // over one value, held or not; false when the file ends inside it
  Result<bool> pass_string();                 // `at_` is behind its opening quote
  Result<bool> take_name(std::string& name);  // a member's name with its colon
  Result<Step> enter();                       // to the first element
  Result<Step> enter_member();                // the same, inside the top object
  Result<Step> take_element();
  Step cut(std::string why);

  Bytes& bytes_;
  std::string member_;
  std::size_t max_element_bytes_;
  std::string buffer_;
  std::size_t piece_bytes_ = 0;  // of the last piece
  std::size_t at_ = 0;
  std::optional<std::size_t> hold_;  // bytes from here on stay in the buffer
  std::int64_t base_ = 0;            // offset of buffer_[0]
  bool started_ = false, ended_ = false, oversized_ = false;
  std::string_view element_;
  std::int64_t element_offset_ = 0;
  std::string why_;
};

// The objects of a JSON file of an export, one at a time: those of a top-level array, or the one that the file is. Whatever
// cannot be read is told to the sink with its place, and the rest goes on.
struct JsonElement {
  json::Value value;        // checked; of any kind
  imports::wire::Place at;  // of its first byte
  std::int64_t end = 0;     // of the byte behind it, in the file
  bool mended = false;      // it was not valid UTF-8: bytes were read as Windows-1252, or replaced

  imports::wire::Place place_of(const json::Value& inside) const;  // of a part of it; its own when it was mended
};

using TakeElement = std::function<Status(const JsonElement&)>;

// Every element of the array that begins at or behind byte `from`. `kind` names one for people: "conversation". What `take` fails
// with ends the reading; damage and unreadable files do not.
Status read_elements(Tree& tree, EntryNo entry, std::string_view kind, SalvagedElements::Accepts accepts, std::int64_t from,
                     Sink& sink, const TakeElement& take);

// The same without a word about what cannot be read, for looking ahead.
Status look_at_elements(Tree& tree, EntryNo entry, SalvagedElements::Accepts accepts, const TakeElement& take);

// The file as one value.
Status read_document(Tree& tree, EntryNo entry, std::string_view kind, Sink& sink, const TakeElement& take);

// "conversations.json" and its parts "conversations-000.json", in any case of letters. `stem` is in lower case.
bool is_file_or_part(std::string_view name, std::string_view stem);

}  // namespace ladder::imports
