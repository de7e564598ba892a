// Provides the console with the findings of `ladder doctor` and the size of the store.
#pragma once

#include "console/surroundings.h"

#include <cstdint>
#include <string>

namespace ladder::cli {

// Returns the size of a file store with its WAL, or 0 for other stores.
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
