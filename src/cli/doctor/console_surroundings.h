// The surroundings of a running server for its console: what `ladder doctor` finds, and how large the store is.
#pragma once

#include "console/settings/settings.h"

#include <cstdint>
#include <string>

namespace ladder::cli {

// Of a store that is a file, with its WAL; 0 of any other.
std::int64_t store_bytes(const std::string& location);

class ConsoleSurroundings final : public console::Surroundings {
 public:
  explicit ConsoleSurroundings(std::string location) : location_(std::move(location)) {}
  std::vector<Finding> check_address(const std::string& base) override;
  Storage storage() override;

 private:
  std::string location_;
};

}  // namespace ladder::cli
