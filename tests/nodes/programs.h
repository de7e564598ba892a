// Programs of Debian that a deployment consists of (HAProxy, PgBouncer, Patroni, etcd), started with the files of deploy/ in
// which addresses, ports and folders are replaced. They end with the test.
#pragma once

#include "support/child_process.h"
#include "support/scratch_folder.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ladder::nodes {

// Returns a port of 127.0.0.1 that was free a moment ago.
std::uint16_t free_port();

// A folder that the user of PostgreSQL may write to, if the tests run as root.
class ServiceFolder {
 public:
  ServiceFolder();
  std::string operator/(std::string_view name) const { return (folder_ / name).string(); }
  std::string path() const { return folder_.path().string(); }
  // Writes a file that only the services can read.
  std::string put(std::string_view name, std::string_view text) const;

 private:
  test_support::ScratchFolder folder_;
};

using Replacements = std::vector<std::pair<std::string, std::string>>;
// Returns a file of deploy/ with every occurrence of each text replaced; throws if one does not occur.
std::string shipped(const std::string& name, const Replacements& replacements);

// A program that runs as the user of PostgreSQL if the tests run as root, and writes its output to a file.
class Service {
 public:
  Service(const ServiceFolder& folder, const std::string& name, const std::vector<std::string>& words,
          const std::vector<std::string>& environment = {});
  ~Service();  // asks it to end
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  void kill_at_once();
  std::string log() const;

 private:
  std::string log_;
  test_support::ChildProcess process_;
  bool ended_ = false;
};

// The missing programs, for a test that needs them; empty on a machine with the packages of ./dev.
std::string missing_programs(const std::vector<std::string>& paths);

}  // namespace ladder::nodes
