// The floor of the growth benchmark: events by month as plain SQL counts them over a plain table of the same events,
// and how much a bare SELECT of one record slows down by itself.
#pragma once

#include "scene.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ladder::bench {

class MonthFloor {
 public:
  virtual ~MonthFloor() = default;
  virtual std::vector<std::int64_t> months() = 0;              // the count of each month, in order
  virtual std::vector<std::int64_t> months_of_one_kind() = 0;  // for kind-3 only
};

class RecordFloor {
 public:
  virtual ~RecordFloor() = default;
  virtual bool read(const std::string& key) = 0;  // true if such an event exists
};

std::unique_ptr<RecordFloor> record_floor(const ScratchLocation& place);  // over a store that Ladder has filled
std::unique_ptr<MonthFloor> month_floor(const ScratchLocation& place, std::int64_t events);

}  // namespace ladder::bench
