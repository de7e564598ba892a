// The text of one located value, either short and in memory or long and in chunks, addressed by code point.
#pragma once

#include "base/error/error.h"
#include "base/text/casefold.h"
#include "base/time/time.h"
#include "store/locate.h"
#include "store/store.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace ladder::server {

class FieldText {
 public:
  // Returns kFieldNotText for null, numbers and booleans.
  static Result<FieldText> of(store::Located located, std::string_view field_path);

  std::string_view type() const;  // "string", "object" or "array"
  const std::string& mime_type() const { return ref_.mime_type; }
  bool text_like() const { return ref_.value_class != store::ValueClass::kBase64; }
  std::int64_t size_chars() const { return ref_.size_chars; }
  const crypto::Digest& digest() const { return ref_.digest; }
  const store::LongRef* long_ref() const { return is_short_ ? nullptr : &ref_; }

  // Returns chars [start, end), which must be within the size; nullopt if the record changed and its value is gone.
  Result<std::optional<std::string>> chars(store::Reader& reader, std::int64_t start, std::int64_t end) const;

  struct Scan {
    Deadline deadline;
    std::stop_token stop;
    std::function<Status()> keep_going;  // called at least every kRecheckAfterMs
  };
  enum class Found : std::uint8_t { kMatch, kNone, kGone };
  struct ScanResult {
    Found found = Found::kNone;
    std::int64_t start_chars = 0;
  };
  // Finds the first match of q (under simple case folding) at or after `from`. Streams chunks: it uses at most about
  // half a megabyte of memory and holds no read transaction between pieces. kDeadline, kCancelled.
  Result<ScanResult> find(store::Store& store, store::OwnerNo owner, std::string_view q, std::int64_t from,
                          const Scan& scan) const;

 private:
  // Passes the chars [start, end) of a long value to `use`, part by part; returns false if the value is gone.
  Result<bool> each_part(store::Reader& reader, std::int64_t start, std::int64_t end, const store::Reader::UseChunk& use) const;
  Result<ScanResult> find_in_chunks(store::Store& store, store::OwnerNo owner, FoldedFinder& finder, std::int64_t from,
                                    const Scan& scan) const;

  bool is_short_ = true;
  std::string short_text_;
  store::LongRef ref_;  // also set for a short value
};

}  // namespace ladder::server
