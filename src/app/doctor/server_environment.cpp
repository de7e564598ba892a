#include "app/doctor/server_environment.h"

#include "app/doctor/finding.h"

#include <filesystem>
#include <system_error>

namespace ladder::app {
namespace {

bool is_file(const std::string& location) { return location.find("://") == std::string::npos; }

console::ServerEnvironment::Health health_of(Health health) {
  using console::ServerEnvironment;
  switch (health) {
    case Health::kOk:
      return ServerEnvironment::Health::kOk;
    case Health::kWarning:
      return ServerEnvironment::Health::kWarning;
    case Health::kProblem:
      break;
  }
  return ServerEnvironment::Health::kProblem;
}

}  // namespace

std::int64_t store_bytes(const std::string& location) {
  std::uintmax_t sum = 0;
  for (const char* suffix : {"", "-wal"}) {
    std::error_code missing;
    const std::uintmax_t size = std::filesystem::file_size(location + suffix, missing);
    if (!missing) sum += size;
  }
  return static_cast<std::int64_t>(sum);
}

std::vector<console::ServerEnvironment::Finding> HostEnvironment::check_address(const std::string& base) {
  Findings findings;
  check_reach(base, "", findings);
  std::vector<Finding> found;
  for (const app::Finding& one : findings.all()) found.push_back({health_of(one.health), one.thing, one.text, one.remedy});
  return found;
}

console::ServerEnvironment::Storage HostEnvironment::storage() {
  Storage storage;
  storage.location = shown_;
  if (!is_file(location_)) return storage;
  storage.bytes = store_bytes(location_);
  std::error_code fault;
  const auto room = std::filesystem::space(std::filesystem::path(location_).parent_path(), fault);
  if (!fault) storage.free_bytes = static_cast<std::int64_t>(room.available);
  return storage;
}

}  // namespace ladder::app
