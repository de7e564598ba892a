// Provides the console with the findings of `ladder doctor` and the size of the store.
#pragma once

#include "console/server_environment.h"

#include <cstdint>
#include <string>

namespace ladder::app {

// Returns the size of a file store with its WAL, or 0 for other stores.
std::int64_t store_bytes(const std::string& location);

class HostEnvironment final : public console::ServerEnvironment {
 public:
  // `shown`: the location without a password.
  HostEnvironment(std::string location, std::string shown) : location_(std::move(location)), shown_(std::move(shown)) {}
  std::vector<Finding> check_address(const std::string& base) override;
  Storage storage() override;

 private:
  std::string location_, shown_;
};

}  // namespace ladder::app
