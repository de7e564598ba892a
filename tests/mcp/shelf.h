// A small resource server for the protocol's tests: one shelf of books, each a title, held in memory and read through the port.
// Searches can be held up, as on a slow disk, until they are let go or stopped.
#pragma once

#include "port/resource_port.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>

namespace ladder::mcp_tests {

class Shelf final : public port::ResourcePort {
 public:
  Shelf() : titles_{{"b1", "The third clock"}, {"b2", "In Zürich"}} {}

  Result<port::SchemaView> schema(const port::SchemaRequest& request, std::stop_token stop) override;
  Result<port::RecordsPage> records(const port::RecordsRequest& request, std::stop_token stop) override;
  Result<port::Record> record(const port::RecordRequest& request, std::stop_token stop) override;
  Result<port::AggregateResult> aggregate(const port::AggregateRequest& request, std::stop_token stop) override;
  Result<port::SearchPage> search(const port::SearchRequest& request, std::stop_token stop) override;
  Result<evidence::FieldWindow> field_window(const port::FieldWindowRequest& request, std::stop_token stop) override;
  Result<port::Blob> blob(const port::BlobRequest& request, std::stop_token stop) override;

  void hold_searches();
  void let_searches_go();
  bool wait_for_held(int searches);  // until so many are held up; false when they don't come
  int stopped();                     // searches that ended with kCancelled

 private:
  std::map<std::string, std::string> titles_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool hold_ = false;
  int held_ = 0, stopped_ = 0;
};

}  // namespace ladder::mcp_tests
