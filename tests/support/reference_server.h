// A resource server with exactly the shapes of the PDPP reference implementation (PDPP "reads", "field windows" and "search"),
// faults included: windows count their end in UTF-16 units, cursors are bound to nothing, hits carry excerpts with <mark> and no
// ranges, unknown parameters of a list are refused, several connections give a page without a cursor and no full detail, windows
// are of top-level strings only, blobs know no ranges. It records the calls it gets.
#pragma once

#include "http/server.h"

#include <boost/json/object.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::test_support {

struct ReferenceRecord {
  std::string connection_id, stream, key;
  std::string data;  // JSON object
};

struct ReferenceCall {
  std::string method, target, authorization;
  http::Headers headers;
};

class ReferenceServer final : public http::Application {
 public:
  explicit ReferenceServer(http::ServerOptions options = {});  // on a free port of loopback
  ~ReferenceServer() override;

  std::string url() const;
  std::vector<ReferenceCall> calls();  // since the last time
  std::vector<std::string> targets();  // of those calls

  // Its contents and its behaviour, set while no call is under way.
  std::vector<ReferenceRecord> records;
  std::map<std::string, std::string> blobs;  // bytes by id, of type application/pdf
  std::string blobs_elsewhere;               // where reads of blobs are sent on to, when it is set
  std::set<std::string> hidden_fields;       // not granted
  std::set<std::string> granted_streams = {"notes"};
  std::string token = "reference-token";
  std::string token_kind = "client";                            // as its schema tells it; empty: it does not say
  bool has_windows = true;                                      // the route of field windows is there
  bool checks_parameters = true;                                // its SQLite lists do, its PostgreSQL lists do not
  std::function<void(boost::json::object&)> change_hit;         // another server's way to write a hit
  std::function<void(boost::json::object&)> change_row;         // a record, alone or in a list
  std::function<void(boost::json::object&)> change_meta;        // meta of a search
  std::function<http::Response(const http::Request&)> instead;  // answers everything, when it is set

 private:
  std::size_t body_limit(const http::Request&) const override { return 0; }
  http::Placement placement(http::Request&) const override { return http::Placement::kWorker; }
  http::Response serve(http::Request& request) override;
  http::Response refuse(const http::Request* head, int status, std::string_view what) override;

  class Answerer;

  const bool tls_;
  std::mutex mutex_;
  std::vector<ReferenceCall> calls_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace ladder::test_support
