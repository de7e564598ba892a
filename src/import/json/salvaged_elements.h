// Reads the objects of a large JSON array one at a time, even if the file is damaged. Invalid JSON is reported with its
// location, and reading resumes at the next object that fits, so that a missing quote costs one element and not the rest of the
// file. Only one element is in memory; a damaged one is dropped as soon as the damage is found.
//
// Recovery tries each `{"` after the start of the damaged element. The first one that is valid JSON and that the format
// recognizes by its members is the next element.
#pragma once

#include "base/error/error.h"
#include "import/io/bytes.h"
#include "import/io/limits.h"
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
  // Decides if an object found after damage is an element of the array, not a nested object.
  using Accepts = bool (*)(const json::Value& object);

  // `bytes` must outlive this object.
  SalvagedElements(Bytes& bytes, Accepts accepts, std::size_t max_element_bytes = limits::kMaxTextBytes)
      : pieces_(bytes, kPieceBytes), accepts_(accepts), max_element_bytes_(max_element_bytes) {}

  enum class Step {
    kElement,  // element() is checked JSON of any kind
    kLost,     // the bytes from offset() to end_offset() are unreadable; why() explains it; next() continues after them
    kEnd,
  };
  Result<Step> next();  // returns an error only if `bytes` fails

  std::string_view element() const { return element_; }  // valid until next()
  // Returns true if element() was converted to valid UTF-8; positions in it then differ from those in the file.
  bool repaired() const { return !repaired_.empty(); }
  std::int64_t offset() const { return offset_; }
  std::int64_t end_offset() const { return end_offset_; }
  const std::string& why() const { return why_; }

 private:
  struct Cut {
    std::size_t end = 0;  // in the buffer; 0 if the value does not end
    std::string why;
  };
  Result<bool> fill();  // appends to the buffer; false at the end of the file
  Result<bool> skip_space();
  Result<Cut> end_of_value(std::size_t from, std::size_t most);
  Result<Step> take();  // the element at at_
  // Reports the element at `from` as lost and searches for the next one from `search` on.
  Result<Step> skip_damage(std::size_t from, std::size_t search, std::string why);
  Result<bool> find_next_valid(std::size_t from);
  void discard(std::size_t count);  // removes the first bytes of the buffer
  void hold(std::size_t from, std::size_t end);
  std::int64_t place(std::size_t at) const { return base_ + static_cast<std::int64_t>(at); }

  static constexpr std::size_t kPieceBytes = 256 * 1024;

  Pieces pieces_;
  Accepts accepts_;
  std::size_t max_element_bytes_;
  std::string buffer_;
  std::size_t at_ = 0;      // after the last returned element
  std::int64_t base_ = 0;   // offset of buffer_[0]
  std::int64_t tried_ = 0;  // bytes examined more than once
  bool started_ = false, first_ = true, file_ended_ = false, ended_ = false;
  std::optional<std::pair<std::size_t, std::size_t>> found_;  // an element found after damage, not yet returned
  std::string_view element_;
  std::string repaired_;
  std::int64_t offset_ = 0, end_offset_ = 0;
  std::string why_;
};

}  // namespace ladder::imports
