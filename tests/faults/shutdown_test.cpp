// SIGTERM: running requests are finished, new ones are refused, and the program exits with status 0.
#include "base/text/format.h"
#include "owner_store.h"
#include "raw_socket.h"
#include "serving.h"
#include "support/store_fixture.h"

#include <atomic>
#include <cerrno>
#include <thread>
#include <vector>

namespace ladder::faults {
namespace {

constexpr milliseconds kTimeout = kWaitLimit;

class Shutdown : public ::testing::TestWithParam<std::string> {
 protected:
  Shutdown() : place_(GetParam()), owner_store_(place_.location()), serving_(place_.location()) {}

  std::string head(std::string_view request_line, const std::string& token, std::string_view more = {}) {
    return format("{} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {}\r\n{}\r\n", request_line, token, more);
  }
  // Waits until the listener is closed, some time after SIGTERM.
  void wait_until_refused() {
    const Time begin = SteadyClock::now();
    int refusal = 0;
    while (refusal == 0 && SteadyClock::now() - begin < kTimeout) {
      refusal = RawSocket(serving_.port()).refusal();
      std::this_thread::sleep_for(milliseconds(10));
    }
    EXPECT_EQ(refusal, ECONNREFUSED) << "a client that comes later";
  }

  test_support::StoreLocation place_;
  OwnerStore owner_store_;
  Serving serving_;
};

TEST_P(Shutdown, FinishesRunningRequests) {
  const std::string bytes(20'000'000, 'c');
  const std::string blob = owner_store_.put_cover(bytes);
  const std::string line = record_line("n1", text_member("body", std::string(100'000, 'b')));

  RawSocket idle(serving_.port());  // has its response and sends no further request
  std::string of_idle;
  ASSERT_TRUE(idle.write_all(head("GET /healthz", "x")));
  ASSERT_TRUE(idle.read_until(of_idle, 10, kTimeout));
  RawSocket writer(serving_.port());  // has sent half of its request
  ASSERT_TRUE(writer.write_all(head("POST /v1/ingest/notes?connection_id=work", owner_store_.owner_token(),
                                    format("Content-Length: {}\r\n", line.size())) +
                               line.substr(0, line.size() / 2)));
  RawSocket reader(serving_.port(), 64 * 1024);  // has read the beginning of its response
  std::string download;
  ASSERT_TRUE(reader.write_all(head("GET /v1/blobs/" + blob, owner_store_.grant("covers").token)));
  ASSERT_TRUE(reader.read_until(download, 100'000, kTimeout));

  serving_.ask_to_end();
  wait_until_refused();
  while (idle.read_some(of_idle, kTimeout) == RawSocket::State::kBytes) continue;
  EXPECT_EQ(of_idle.find("HTTP/1.1", 1), std::string::npos) << "nothing more is said to an idle one";

  EXPECT_TRUE(writer.write_all(line.substr(line.size() / 2)));
  std::string receipt;
  while (writer.read_some(receipt, kTimeout) == RawSocket::State::kBytes) continue;
  EXPECT_TRUE(receipt.starts_with("HTTP/1.1 200 ")) << receipt;
  EXPECT_NE(receipt.find("\"records_accepted\":1"), std::string::npos) << receipt;
  EXPECT_NE(receipt.find("\r\nConnection: close\r\n"), std::string::npos) << receipt;

  while (reader.read_some(download, kTimeout) == RawSocket::State::kBytes) continue;
  const std::size_t body = download.find("\r\n\r\n") + 4;
  EXPECT_EQ(download.size() - body, bytes.size());
  EXPECT_TRUE(download.substr(body) == bytes) << "the download is another";
  EXPECT_EQ(serving_.wait(), 0);

  const Serving again(place_.location());
  EXPECT_EQ(again.get("/v1/streams/notes/records/n1", owner_store_.grant().token).status, 200) << "it was acknowledged";
}

TEST_P(Shutdown, DoesNotTruncateResponsesUnderLoad) {
  owner_store_.put_notes(100, std::string(2000, 'b'));
  const std::string token = owner_store_.grant().token;
  std::atomic<int> whole = 0;
  std::atomic<int> torn = 0;
  std::vector<std::thread> readers;
  for (int n = 0; n < 8; ++n) {
    readers.emplace_back([&] {
      const std::string request = head("GET /v1/streams/notes/records?limit=100", token);
      RawSocket socket(serving_.port());
      std::string received;
      while (socket.write_all(request)) {
        // A request that came too late gets no response; any other gets a complete one.
        received.clear();
        std::size_t wanted = 1;
        while (socket.read_until(received, wanted, kTimeout)) {
          const std::size_t end = received.find("\r\n\r\n");
          wanted = end == std::string::npos ? received.size() + 1 : end + 4 + announced_length(received.substr(0, end + 4));
          if (received.size() >= wanted) break;
        }
        if (received.empty()) return;
        received.size() == wanted&& received.starts_with("HTTP/1.1 200 ") ? ++whole : ++torn;
        if (received.find("\r\nConnection: close\r\n") != std::string::npos) return;
      }
    });
  }
  EXPECT_TRUE(eventually([&] { return whole >= 20; }));
  serving_.ask_to_end();
  EXPECT_EQ(serving_.wait(), 0);
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(torn, 0);
}

LADDER_FOR_EVERY_ENGINE(Shutdown);

}  // namespace
}  // namespace ladder::faults
