// `ladder serve` as a process over a store of either engine, and an HTTP client. In addition to the notes of
// ServerFixture there is a source "library" with relations, views, ranges, aggregates and blobs.
#pragma once

#include "http/client.h"
#include "json/parse.h"
#include "support/child_process.h"
#include "support/server_fixture.h"

#include <boost/json.hpp>

#include <csignal>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::wire {

using test_support::must;
using test_support::text_member;

// Streams books, chapters (many per book), summaries (one per book) and covers (blobs).
std::string_view library_declaration();
// Returns one RECORD line; `data` is JSON text of an object.
std::string line(std::string_view key, std::string_view data);

struct Answer {
  int status = 0;
  http::Headers headers;
  std::string text;
  boost::json::object body;  // if the text is an object

  const boost::json::value& at(std::string_view pointer) const;  // fails the test if there is none
  std::string string(std::string_view pointer) const;
  std::int64_t number(std::string_view pointer) const;
  bool has(std::string_view pointer) const;
  std::vector<std::string> ids() const;             // the ids in `data`
  std::vector<std::string> warnings() const;        // the codes of the warnings
  std::string header(std::string_view name) const;  // empty if absent
};

class Rest : public test_support::ServerFixture {
 protected:
  // Adds flags of `ladder serve` and environment variables.
  explicit Rest(const std::vector<std::string>& flags = {}, std::vector<std::string> environment = {});
  ~Rest() override;

  Answer send(std::string method, std::string target, const std::string& token, std::string body = {},
              http::Headers headers = {});
  Answer get(std::string target, const std::string& token, http::Headers headers = {}) {
    return send("GET", std::move(target), token, {}, std::move(headers));
  }
  std::string token_for(server::GrantSelection selection) { return issue({std::move(selection)}).token; }
  const std::string& owner_token() const { return owner_token_; }
  std::uint16_t port() const { return port_; }
  void stop_serving();  // asks it to stop gracefully and returns at once
  void end_serving();   // stops it and waits for its end
  void signal(int number) { serving_.kill(number); }
  std::string log_line_with(std::string_view text);  // returns the next output line with the text; empty: none came in time

  // Adds the library with a connection "shelf".
  void add_library();
  void put_lines(const std::string& stream, std::string_view lines, const std::string& connection = "shelf");
  // Reads every page from the target on; fails the test if one is refused.
  std::vector<std::string> walk(std::string target, const std::string& token);

  static void expect_error(const Answer& answer, int status, std::string_view code, std::string_view param = {});

 private:
  test_support::ChildProcess serving_;
  bool stopped_ = false;
  std::unique_ptr<http::Client> client_;
  std::string owner_token_;
  std::uint16_t port_ = 0;
};

http::Headers headers(std::initializer_list<std::pair<const char*, std::string>> fields);

}  // namespace ladder::wire
