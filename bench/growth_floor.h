// Events by month as plain SQL counts them, over a plain table of the same events.
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
  virtual std::vector<std::int64_t> months() = 0;              // the count of each, in order
  virtual std::vector<std::int64_t> months_of_one_kind() = 0;  // of "kind-3" alone
};

std::unique_ptr<MonthFloor> month_floor(const Place& place, std::int64_t events);

}  // namespace ladder::bench
