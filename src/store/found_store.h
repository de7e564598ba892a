// The state that an engine finds at a location before the store is opened.
#pragma once

#include "base/error/error.h"
#include "base/text/format.h"

#include <cstdint>

namespace ladder::store {

inline constexpr std::int64_t kOldestSchema = 10;  // the first released schema

// The error for a store with an older schema.
inline Error unreleased_schema(std::int64_t schema) {
  return {Code::kNotSetUp, format("created by a version of Ladder before 1.0 (schema {}): export it with that version "
                                  "(`ladder export`), then create a new store with `ladder init` and import it there",
                                  schema)};
}

// The state of a store before the upgrade.
struct FoundStore {
  std::int64_t schema = 0;    // 0: no store exists yet
  bool current_words = true;  // this version's rules built its word index
};

}  // namespace ladder::store
