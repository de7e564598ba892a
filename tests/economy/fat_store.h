// A store that makes answers as large as they get, the same every time: a stream of 200 long texts over nine connections that all
// hold one word, one book of a million chars, records of many long fields and of bytes, and 240 streams of 30 fields beside them.
// The names are nonsense, so that nothing is short by luck. A mailbox of ordinary messages is there for what answers mostly cost.
#pragma once

#include "mcp/protocol/server.h"
#include "server/resource_server.h"
#include "support/server_fixture.h"

#include <memory>
#include <string>
#include <string_view>

namespace ladder::economy {

// The cost of one call. Bytes are UTF-8.
struct Cost {
  std::size_t text = 0;        // of the text that a model reads
  std::size_t structured = 0;  // of structuredContent
  std::size_t result = 0;      // of the whole serialized result, _meta included
};

struct Answer {
  boost::json::value result;
  Cost cost;
  std::string text() const;
};

class FatStore : public test_support::RsFixture {
 protected:
  FatStore();

  // Through the protocol, in the modern era, which adds more to a result than the legacy one.
  Answer ask(std::string_view method, std::string_view params);
  Answer call(std::string_view tool, std::string_view arguments);

 private:
  void add_texts();
  void add_book();
  void add_mail();
  void add_wide_records();
  void add_many_streams();

  std::vector<server::GrantSelection> granted_;
  std::unique_ptr<server::LocalPort> port_;
  std::unique_ptr<mcp::Server> mcp_;
};

}  // namespace ladder::economy
