// Related records: expansions, and blobs that are accessible only through a visible record.
#include "support/library_fixture.h"

#include "store/index/field_index.h"

#include <algorithm>

namespace ladder {
namespace {

using test_support::must;
using test_support::text_member;

class Related : public test_support::LibraryFixture {
 protected:
  Related() {
    put_line("moby",
             text_member("title", "Moby Dick") + "," + text_member("cover_id", "c1") + ",\"bought_at\":\"2025-01-01T00:00:00Z\"",
             "home", "books");
    put_line("emma", text_member("title", "Emma") + ",\"bought_at\":\"2020-01-01T00:00:00Z\"", "home", "books");
    for (int i = 0; i < 7; ++i) {
      put_line(format("l{}", i),
               text_member("book", i == 6 ? "emma" : "moby") + "," + text_member("to", format("friend {}", i)) +
                   format(",\"at\":\"2025-02-0{}T00:00:00Z\"", 7 - i),
               "home", "loans");
    }
    put_line("elsewhere", text_member("book", "moby"), "cabin", "loans");
    put_line("c1", text_member("colour", "blue"), "home", "covers");
    put_line("c1", text_member("colour", "of the cabin"), "cabin", "covers");
    put_line("moby", text_member("colour", "not the book's"), "home", "covers");
  }

  api::RecordRequest moby() {
    api::RecordRequest request;
    request.record = {"home", "books", "moby"};
    return request;
  }
  Result<api::Record> expanded(const server::Access& access, std::vector<std::string> names) {
    api::RecordRequest request = moby();
    request.expand = std::move(names);
    return server().record(access, request);
  }
};

TEST_P(Related, RecordsAreJoinedByKeyInTheirConnectionWithinLimits) {
  const api::Record record = must(expanded(owner(), {"loans", "cover"}));
  ASSERT_EQ(record.expanded.size(), 2u);
  EXPECT_EQ(record.expanded[0].name, "loans");
  EXPECT_TRUE(record.expanded[0].has_many);
  EXPECT_TRUE(record.expanded[0].has_more);
  ASSERT_EQ(record.expanded[0].records.size(), 3u) << "the declared default";
  EXPECT_EQ(record.expanded[0].records[0].ref.record_id, "l5") << "ascending by the child's cursor field";
  EXPECT_EQ(record.expanded[0].records[0].ref.connection_id, "home");
  ASSERT_EQ(record.expanded[1].records.size(), 1u);
  EXPECT_EQ(record.expanded[1].records[0].data, R"({"id":"c1","colour":"blue"})");
  EXPECT_FALSE(record.expanded[1].has_more);

  api::RecordRequest request = moby();
  request.expand = {"loans"};
  request.expand_limits = {{"loans", 5}};
  EXPECT_EQ(must(server().record(owner(), request)).expanded[0].records.size(), 5u);
  request.expand_limits = {{"loans", 6}};
  EXPECT_EQ(server().record(owner(), request).error().code, Code::kInvalidExpand);
  request.expand_limits = {{"cover", 1}};
  EXPECT_EQ(server().record(owner(), request).error().code, Code::kInvalidExpand) << "a limit without its expansion";
  request.expand = {"cover"};
  EXPECT_EQ(server().record(owner(), request).error().code, Code::kInvalidExpand) << "at most one record takes no limit";
  EXPECT_EQ(expanded(owner(), {"secrets"}).error().code, Code::kInvalidExpand);

  api::RecordsRequest list;
  list.stream = "books";
  list.scope.connection_id = "home";
  list.expand = {"loans"};
  for (const api::Record& each : must(server().records(owner(), list)).records) {
    ASSERT_EQ(each.expanded.size(), 1u);
    EXPECT_EQ(each.expanded[0].records.size(), each.ref.record_id == "moby" ? 3u : 1u);
  }
}

TEST_P(Related, StreamsAndKeysOutsideTheGrantStayHidden) {
  const server::GrantSelection books{"home", "books", {"id", "title"}, {}, {}, {}};
  const auto with = [&](server::GrantSelection loans) {
    return must(server().authenticate(issue({books, std::move(loans)}).token));
  };
  EXPECT_EQ(expanded(client(books), {"loans"}).error().code, Code::kInsufficientScope);
  EXPECT_EQ(expanded(with({"home", "loans", {"id", "to"}, {}, {}, {}}), {"loans"}).error().code, Code::kInsufficientScope)
      << "the foreign key would reveal ungranted data";
  const api::Record record = must(expanded(with({"home", "loans", {"id", "book"}, {}, {}, {"l1", "l2"}}), {"loans"}));
  ASSERT_EQ(record.expanded[0].records.size(), 2u) << "only the granted ones";
  EXPECT_EQ(record.expanded[0].records[0].data.find("friend"), std::string::npos);
  EXPECT_FALSE(record.expanded[0].has_more);
}

// The key of a has_one relation is in the declaring stream only.
TEST_P(Related, ARecordNamesItsRelatedRecord) {
  const auto cover = [&](std::string_view book, std::string_view members) {
    put_line(book, members, "home", "books");
    api::RecordRequest request;
    request.record = {"home", "books", std::string(book)};
    request.expand = {"cover"};
    request.fields = {"id"};
    const api::Record record = must(server().record(owner(), request));
    EXPECT_FALSE(record.expanded.at(0).has_many);
    return record.expanded[0].records.empty() ? "none" : record.expanded[0].records[0].ref.record_id;
  };
  EXPECT_EQ(cover("a", R"("cover_id":"c1")"), "c1") << "even if the key is not requested";
  EXPECT_EQ(cover("b", R"("cover_id":"moby")"), "moby");
  EXPECT_EQ(cover("c", R"("cover_id":"nowhere")"), "none");
  EXPECT_EQ(cover("d", R"("cover_id":null)"), "none");
  EXPECT_EQ(cover("e", R"("title":"E")"), "none");
  EXPECT_EQ(cover("f", text_member("cover_id", std::string(20'000, 'x'))), "none") << "no key is that long";

  const auto with = [&](std::vector<std::string> books, std::vector<std::string> covers, std::vector<std::string> records = {}) {
    return must(server().authenticate(issue({{"home", "books", std::move(books), {}, {}, {}},
                                             {"home", "covers", std::move(covers), {}, {}, std::move(records)}})
                                          .token));
  };
  const auto usable = [&](const server::Access& access) {
    const api::SchemaView schema = must(server().schema(access, {"books", {}, false, false}));
    return schema.sources.at(0).streams.at(0).expansions.at(0).usable;
  };
  const server::Access keyless = with({"id", "title"}, {"id", "colour"});
  EXPECT_EQ(expanded(keyless, {"cover"}).error().code, Code::kInsufficientScope) << "whose cover it is, is not granted";
  EXPECT_FALSE(usable(keyless));
  const server::Access whole = with({"id", "cover_id"}, {"id"});
  EXPECT_TRUE(usable(whole));
  EXPECT_EQ(must(expanded(whole, {"cover"})).expanded[0].records.at(0).data, R"({"id":"c1"})");
  EXPECT_TRUE(must(expanded(with({"id", "cover_id"}, {"id"}, {"c9"}), {"cover"})).expanded[0].records.empty())
      << "outside the grant is like missing";
}

TEST_P(Related, BlobsAreReadThroughAVisibleRecord) {
  std::string bytes;
  for (int i = 0; i < 20'000; ++i) bytes += static_cast<char>(i * 7 % 251);
  test_support::TextSource source(bytes);
  const std::string id = must(server().put_blob(owner(), "image/png", source)).blob_id;
  api::BlobRequest request;
  request.blob_id = id;
  request.max_bytes = api::kMaxBlobReadBytes;
  EXPECT_EQ(server().blob(owner(), request).error().code, Code::kBlobNotFound) << "no record names it yet";
  put_line(
      "scan",
      text_member("title", "Scan") + format(",\"bought_at\":\"2025-01-01T00:00:00Z\",\"blob_ref\":{{\"blob_id\":\"{}\"}}", id),
      "home", "books");
  EXPECT_EQ(must(server().blob(owner(), request)).bytes, bytes);
  EXPECT_EQ(must(server().blob(owner(), request)).mime_type, "image/png");
  for (const std::int64_t first : {0, 1, 3899, 3900, 3901, 19'999, 20'000}) {
    for (const std::int64_t count : {0, 1, 100, 3900, 7801}) {
      request.first_byte = first;
      request.max_bytes = count;
      EXPECT_EQ(must(server().blob(owner(), request)).bytes,
                bytes.substr(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
    }
  }
  request = {};
  request.blob_id = id;
  request.max_bytes = 10;
  const auto as = [&](server::GrantSelection selection) { return server().blob(client(std::move(selection)), request); };
  EXPECT_TRUE(as({"home", "books", {"id", "blob_ref"}, {}, {}, {}}));
  EXPECT_EQ(as({"home", "books", {"id", "title"}, {}, {}, {}}).error().code, Code::kBlobNotFound) << "the field is not granted";
  EXPECT_EQ(as({"cabin", "books", {"id", "blob_ref"}, {}, {}, {}}).error().code, Code::kBlobNotFound);
  EXPECT_EQ(as({"home", "books", {"id", "blob_ref"}, *parse_time("2026-01-01T00:00:00Z"), {}, {}}).error().code,
            Code::kBlobNotFound);
  EXPECT_EQ(as({"home", "books", {"id", "blob_ref"}, {}, {}, {"moby"}}).error().code, Code::kBlobNotFound);
  put_line("scan", text_member("title", "Scan"), "home", "books");
  EXPECT_EQ(server().blob(owner(), request).error().code, Code::kBlobNotFound) << "no record references it";
  request.blob_id = "blob_sha256_00";
  EXPECT_EQ(server().blob(owner(), request).error().code, Code::kBlobNotFound);
}

LADDER_FOR_EVERY_ENGINE(Related);

}  // namespace
}  // namespace ladder
