// A resource server with exactly the formats of the PDPP reference implementation (PDPP "reads", "field windows" and
// "search"), including its faults: windows count their end in UTF-16 units, cursors are not bound to anything, hits
// carry excerpts with <mark> and no ranges, lists reject unknown parameters, several connections give a page without a
// cursor and without full detail, windows are of top-level strings only, blobs support no ranges. It records the
// requests it gets.
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
  explicit ReferenceServer(http::ServerOptions options = {});  // on a free loopback port
  ~ReferenceServer() override;

  std::string url() const;
  std::vector<ReferenceCall> calls();  // since the last call
  std::vector<std::string> targets();  // the targets of those requests

  // Its contents and behavior; set them while no request is running.
  std::vector<ReferenceRecord> records;
  std::map<std::string, std::string> blobs;  // bytes by id, of type application/pdf
  std::string blobs_elsewhere;               // if set, reads of blobs are redirected there
  std::set<std::string> hidden_fields;       // not granted
  std::set<std::string> granted_streams = {"notes"};
  std::string token = "reference-token";
  std::string token_kind = "client";                      // as its schema reports it; empty: not reported
  bool has_windows = true;                                // has the route of field windows
  bool checks_parameters = true;                          // true for the reference's SQLite lists, false for its PostgreSQL lists
  std::function<void(boost::json::object&)> change_hit;   // changes a hit to another server's format
  std::function<void(boost::json::object&)> change_row;   // changes a record, alone or in a list
  std::function<void(boost::json::object&)> change_meta;  // changes the meta of a search
  std::function<http::Response(const http::Request&)> instead;  // if set, answers every request

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
