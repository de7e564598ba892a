// A small resource server for the protocol tests: one shelf of books with titles, held in memory and read through the
// port. Searches can be held, as on a slow disk, until they are released or cancelled.
#pragma once

#include "api/resource_port.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>

namespace ladder::mcp_tests {

class BookPort final : public api::ResourcePort {
 public:
  BookPort() : titles_{{"b1", "The third clock"}, {"b2", "In Zürich"}} {}

  Result<api::SchemaView> schema(const api::SchemaRequest& request, std::stop_token stop) override;
  Result<api::RecordsPage> records(const api::RecordsRequest& request, std::stop_token stop) override;
  Result<api::Record> record(const api::RecordRequest& request, std::stop_token stop) override;
  Result<api::AggregateResult> aggregate(const api::AggregateRequest& request, std::stop_token stop) override;
  Result<api::SearchPage> search(const api::SearchRequest& request, std::stop_token stop) override;
  Result<api::FieldWindow> field_window(const api::FieldWindowRequest& request, std::stop_token stop) override;
  Result<api::Blob> blob(const api::BlobRequest& request, std::stop_token stop) override;

  void hold_searches();
  void release_searches();
  bool wait_for_held(int searches);  // waits until this many are held; returns false if they do not come
  int stopped();                     // searches that ended with kCancelled

 private:
  std::map<std::string, std::string> titles_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool hold_ = false;
  int held_ = 0, stopped_ = 0;
};

}  // namespace ladder::mcp_tests
