// A store that produces the largest responses, always the same: a stream of 200 long texts over nine connections that
// all contain one word, one book of a million chars, records with many long fields and with bytes, and 240 streams of
// 30 fields. The names are nonsense words, so that nothing is short by chance. A mailbox of ordinary messages
// represents the usual cost.
#pragma once

#include "mcp/protocol/server.h"
#include "server/local_port.h"
#include "support/server_fixture.h"

#include <memory>
#include <string>
#include <string_view>

namespace ladder::economy {

// The cost of one call in UTF-8 bytes.
struct Cost {
  std::size_t text = 0;        // the text that a model reads
  std::size_t structured = 0;  // structuredContent
  std::size_t result = 0;      // the complete serialized result, including _meta
};

struct Answer {
  boost::json::value result;
  Cost cost;
  std::string text() const;
};

class FatStore : public test_support::ServerFixture {
 protected:
  FatStore();

  // Sends the request through the protocol in the modern era, whose results are larger than legacy ones.
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
