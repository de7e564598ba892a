// A record split into a row and long values, compared with the data it came from: the parts must give the same data as
// a whole, in windows and by JSON Pointer.
#pragma once

#include "frame.h"
#include "json/scan/scan.h"
#include "store/long_values/value_sink.h"
#include "store/store.h"
#include "store/testing/memory_reader.h"

#include <string>
#include <string_view>

namespace ladder::fuzz {

// Returns true for equal JSON values: strings compare by code points, everything else by its text.
bool same_value(const json::Value& a, const json::Value& b);

class SplitRecord {
 public:
  // `data` is an object of checked text; `write` holds the body and the buffered values.
  SplitRecord(const json::Value& data, const store::RecordWrite& write);

  void check_row();
  void check_values() const;
  void check_paths(Chance& chance);

 private:
  std::string text_of(const store::LongRef& ref);
  void check_member(const json::Value& value, const json::Value& kept);
  void check_long(const store::LongRef& ref, const json::Value& value);
  void check_windows(const store::LongRef& ref, std::string_view text, Chance& chance);
  void check_path(Chance& chance);

  json::Value data_;
  const store::RecordWrite& write_;
  store::testing::MemoryReader reader_;
};

}  // namespace ladder::fuzz
