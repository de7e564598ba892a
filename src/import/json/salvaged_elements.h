// The objects of a large JSON array, one at a time, also when the file is damaged: what is no valid JSON is told with its place,
// and the next object that fits is looked for behind it, so that a missing quote costs one element and not the rest of the file.
// Memory is one element; what a damaged one swallows is let go as soon as it is known to be damaged.
//
// How an element is found again: behind the place where a damaged one began, each `{"` is tried in turn; the first that is
// valid JSON and that the format recognises by its members is the next element.
#pragma once

#include "base/error/error.h"
#include "import/limits.h"
#include "import/tree/bytes.h"
#include "json/scan/scan.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ladder::imports {

class SalvagedElements {
 public:
  // Says whether an object found behind damage is an element of the array, and not something inside one.
  using Accepts = bool (*)(const json::Value& object);

  // `bytes` must outlive this.
  SalvagedElements(Bytes& bytes, Accepts accepts, std::size_t max_element_bytes = limits::kMaxTextBytes)
      : bytes_(bytes), accepts_(accepts), max_element_bytes_(max_element_bytes) {}

  enum class Step {
    kElement,  // element() is checked JSON text of any kind
    kLost,     // from offset() to end_offset() nothing could be read; why() says why; next() goes on behind it
    kEnd,
  };
  Result<Step> next();  // an error is one of `bytes`

  std::string_view element() const { return element_; }  // valid until next()
  // Says whether element() was made valid UTF-8 first; positions in it are then not those of the file.
  bool mended() const { return !mended_.empty(); }
  std::int64_t offset() const { return offset_; }
  std::int64_t end_offset() const { return end_offset_; }
  const std::string& why() const { return why_; }

 private:
  struct Cut {
    std::size_t end = 0;  // in the buffer; 0 when the value has none
    std::string why;
  };
  Result<bool> fill();  // more bytes at the end of the buffer; false when there are none
  Result<bool> skip_space();
  Result<Cut> end_of_value(std::size_t from, std::size_t most);
  Result<Step> take();  // the element at at_
  // The element at `from` is lost; the next one is looked for from `search` on.
  Result<Step> lose(std::size_t from, std::size_t search, std::string why);
  Result<bool> find_again(std::size_t from);
  void let_go(std::size_t count);  // of the first bytes of the buffer
  void hold(std::size_t from, std::size_t end);
  std::int64_t place(std::size_t at) const { return base_ + static_cast<std::int64_t>(at); }

  Bytes& bytes_;
  Accepts accepts_;
  std::size_t max_element_bytes_;
  std::string buffer_;
  std::size_t piece_bytes_ = 0;  // of the last reading
  std::size_t at_ = 0;           // behind what was handed out
  std::int64_t base_ = 0;        // offset of buffer_[0]
  std::int64_t tried_ = 0;       // bytes looked at more than once
  bool started_ = false, first_ = true, file_ended_ = false, ended_ = false;
  std::optional<std::pair<std::size_t, std::size_t>> found_;  // the element behind a loss, not yet handed out
  std::string_view element_;
  std::string mended_;
  std::int64_t offset_ = 0, end_offset_ = 0;
  std::string why_;
};

}  // namespace ladder::imports
