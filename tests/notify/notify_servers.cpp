#include "notify_servers.h"

#include <boost/json/parse.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace ladder::notify_tests {

// The process ends with the test: it is killed by the destructor.
NotifyServers::NotifyServers()
    : process_({"/usr/bin/python3", LADDER_SOURCE_DIR "/tests/support/notify_servers.py", folder_.path().string()}) {
  const auto line = process_.read_line();
  if (!line || !line->starts_with("{"))
    throw std::runtime_error("the servers do not start: " + line.value_or("") + process_.read_all());
  ports_ = boost::json::parse(*line);
}

std::string NotifyServers::port(std::string_view kind) const { return std::to_string(ports_.at(kind).as_int64()); }

std::string NotifyServers::certificate() const { return std::string(ports_.at("certificate").as_string()); }

void NotifyServers::behave(std::string_view how) const { std::ofstream(folder_.path() / "behavior") << how; }

std::vector<boost::json::value> NotifyServers::arrived() const {
  std::ifstream file(folder_.path() / "arrived");
  std::vector<boost::json::value> all;
  for (std::string line; std::getline(file, line);) all.push_back(boost::json::parse(line));
  return all;
}

std::vector<boost::json::value> NotifyServers::wait_for(std::size_t count, std::chrono::seconds limit) const {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (arrived().size() < count && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return arrived();
}

}  // namespace ladder::notify_tests
