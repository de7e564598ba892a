// Concurrent ingests of the same and of different keys, with grants created and revoked in between.
#include "support/server_fixture.h"

#include <thread>

namespace ladder::test_support {
namespace {

class IngestConcurrencyTest : public ServerFixture {};

TEST_P(IngestConcurrencyTest, TwoConcurrentIngestsLoseNothing) {
  constexpr int kLines = 2000;
  std::string input[2];
  for (int who = 0; who < 2; ++who) {
    for (int i = 0; i < kLines; ++i) {
      const std::size_t length = i % 500 == 250 ? 600'000 : 60;
      input[who] += record_line(format("own-{}-{}", who, i), text_member("body", std::string(length, 'x')));
      input[who] += record_line(format("shared-{}", i), text_member("body", format("from {} ", who) + std::string(60, 'y')));
    }
  }
  // The other importer looks like another process to the store.
  const auto other_store = place().open(store::OpenMode::kExisting);
  server::ResourceServer other(*other_store, clock());
  const server::Access other_owner = must(other.accesses().local_owner("local"));
  Result<server::IngestReport> second = fail(Code::kInternal, "did not run");
  std::jthread importer([&] {
    TextSource bytes(input[1]);
    server::LineSource lines(bytes, limits::kMaxLineBytes);
    QuietObserver observer;
    second = other.ingest().put_records(other_owner, {"work", "notes"}, lines, observer);
  });
  std::jthread granter([&] {
    for (int i = 0; i < 5; ++i) {
      server::GrantRequest request;
      request.client_id = "agent";
      request.streams = {{"work", "notes", {}, {}, {}, {}}};
      const auto issued = server().grants().create(owner(), request);
      ASSERT_TRUE(issued) << issued.error().message;
      EXPECT_TRUE(server().accesses().authenticate(issued->token));
      EXPECT_TRUE(server().grants().revoke(owner(), issued->grant_ids[0]));
      EXPECT_EQ(server().accesses().authenticate(issued->token).error().code, Code::kGrantRevoked);
    }
  });
  const server::IngestReport first = ingest(input[0]);
  importer.join();
  granter.join();
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(first.accepted, 2 * kLines);
  EXPECT_EQ(second->accepted, 2 * kLines);
  EXPECT_EQ(first.added + second->added, 3 * kLines);
  EXPECT_EQ(first.changed + second->changed, kLines);
  EXPECT_EQ(must(server().sources().connection(owner(), "work")).streams.at(0).records, 3 * kLines);
  for (int i = 0; i < kLines; i += 97) {
    const auto window = must(read(owner(), format("shared-{}", i), "body"));
    EXPECT_TRUE(window.text.starts_with("from 0 ") || window.text.starts_with("from 1 "));
  }
  for (const std::string& broken : must(store().check_invariants())) ADD_FAILURE() << broken;
}

LADDER_FOR_EVERY_ENGINE(IngestConcurrencyTest);

}  // namespace
}  // namespace ladder::test_support
