// Blobs over HTTP: stored by the owner, read through a record that references them, whole or in part (PDPP "blobs").
#include "rest_fixture.h"

#include "base/text/bytes.h"
#include "crypto/hash.h"

namespace ladder::wire {
namespace {

std::string bytes_of(std::size_t size) {
  std::string bytes;
  bytes.reserve(size);
  for (std::uint32_t state = 7; bytes.size() < size;) {
    state = state * 1664525U + 1013904223U;
    bytes.push_back(static_cast<char>(state >> 24));
  }
  return bytes;
}

class Blobs : public Rest {
 protected:
  Blobs() { add_library(); }

  std::string store(const std::string& bytes, const std::string& type, const std::string& more = "") {
    const Answer stored = send("POST", "/v1/blobs" + more, owner_token(), bytes, headers({{"Content-Type", type}}));
    EXPECT_EQ(stored.status, 200) << stored.text;
    return stored.status == 200 ? stored.string("/blob_id") : "";
  }
  void name_it(const std::string& key, const std::string& blob, const std::string& connection = "shelf") {
    put_lines("covers", line(key, format(R"({{"id":"{}","blob_ref":{{"blob_id":"{}"}}}})", key, blob)), connection);
  }
};

TEST_P(Blobs, AreStoredUnderTheirContent) {
  const std::string bytes = bytes_of(10'000);
  const std::string digest = to_hex(crypto::view(crypto::sha256(bytes)));
  const Answer stored = send("POST", "/v1/blobs?connector_id=library&stream=covers&record_key=c1&json_path=/blob_ref",
                             owner_token(), bytes, headers({{"Content-Type", "Image/PNG; charset=x"}}));
  EXPECT_EQ(stored.status, 200) << stored.text;
  EXPECT_EQ(stored.string("/object"), "blob");
  EXPECT_EQ(stored.string("/blob_id"), "blob_sha256_" + digest);
  EXPECT_EQ(stored.string("/sha256"), digest);
  EXPECT_EQ(stored.number("/size_bytes"), 10'000);
  EXPECT_EQ(stored.string("/mime_type"), "image/png");
  EXPECT_EQ(store(bytes, "image/png"), stored.string("/blob_id")) << "the same bytes, the same id";
  const Answer named =
      send("POST", "/v1/blobs?mime_type=Text/Plain", owner_token(), "x", headers({{"Content-Type", "image/png"}}));
  EXPECT_EQ(named.string("/mime_type"), "text/plain");

  const std::string client = token_for({"shelf", "covers", {}, {}, {}, {}});
  expect_error(send("POST", "/v1/blobs", client, "x"), 403, "permission_error");
  expect_error(send("POST", "/v1/blobs", "", "x"), 401, "authentication_error");
  expect_error(send("POST", "/v1/blobs?json_path=x", owner_token(), "x"), 400, "invalid_request", "json_path");
  expect_error(send("POST", "/v1/blobs?mime_type=nonsense", owner_token(), "x"), 400, "invalid_request", "mime_type");
  expect_error(send("POST", "/v1/blobs?connection_id=none", owner_token(), "x"), 404, "connection_not_found");
  expect_error(send("POST", "/v1/blobs?connection_id=shelf&stream=none", owner_token(), "x"), 404, "stream_not_declared");
}

TEST_P(Blobs, AreReturnedCompleteWithTheirHeaders) {
  const std::string bytes = bytes_of(3'500'000);  // several pieces
  const std::string blob = store(bytes, "image/png");
  name_it("c1", blob);
  const std::string client = token_for({"shelf", "covers", {}, {}, {}, {}});
  const Answer record = get("/v1/streams/covers/records/c1", client);
  EXPECT_EQ(record.string("/data/blob_ref/blob_id"), blob);
  const Answer whole = get(record.string("/data/blob_ref/fetch_url"), client);
  EXPECT_EQ(whole.status, 200);
  EXPECT_TRUE(whole.text == bytes);
  EXPECT_EQ(whole.header("Content-Length"), "3500000");
  EXPECT_EQ(whole.header("Content-Type"), "image/png");
  EXPECT_EQ(whole.header("Accept-Ranges"), "bytes");
  EXPECT_EQ(whole.header("Cache-Control"), "private, no-store");
  EXPECT_EQ(whole.header("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(whole.header("Content-Disposition"), "") << "a picture may be shown";
  EXPECT_EQ(whole.header("ETag"), "\"sha256:" + blob.substr(12) + "\"");
  const Answer head = send("HEAD", "/v1/blobs/" + blob, client);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("Content-Length"), "3500000");
  EXPECT_EQ(head.text, "");

  const std::string page = store("<script>", "text/html");
  name_it("c2", page);
  const Answer html = get("/v1/blobs/" + page + "?connector_instance_id=shelf", owner_token());
  EXPECT_EQ(html.header("Content-Disposition"), "attachment");
  EXPECT_EQ(html.header("Content-Type"), "text/html");
  EXPECT_EQ(html.header("PDPP-Warning"), "deprecated_alias_used: connector_instance_id");
  const std::string nothing = store("", "application/pdf");
  name_it("c3", nothing);
  const Answer empty = get("/v1/blobs/" + nothing, client);
  EXPECT_EQ(empty.status, 200);
  EXPECT_EQ(empty.header("Content-Length"), "0");
}

TEST_P(Blobs, SupportRangesAndConditions) {
  const std::string bytes = bytes_of(2'500'000);
  const std::string blob = "/v1/blobs/" + store(bytes, "application/zip");
  name_it("c1", blob.substr(10));
  const std::string client = token_for({"shelf", "covers", {}, {}, {}, {}});
  const auto ranged = [&](const std::string& range) { return get(blob, client, headers({{"Range", range}})); };

  const Answer middle = ranged("bytes=1000000-2200000");
  EXPECT_EQ(middle.status, 206);
  EXPECT_EQ(middle.header("Content-Range"), "bytes 1000000-2200000/2500000");
  EXPECT_TRUE(middle.text == bytes.substr(1'000'000, 1'200'001));
  EXPECT_EQ(ranged("bytes=-3").text, bytes.substr(bytes.size() - 3));
  EXPECT_EQ(ranged("bytes=2499999-").text, bytes.substr(bytes.size() - 1));
  EXPECT_EQ(ranged("bytes=0-1,4-5").status, 200) << "one range or everything";
  const Answer outside = ranged("bytes=2500000-");
  expect_error(outside, 416, "invalid_request");
  EXPECT_EQ(outside.header("Content-Range"), "bytes */2500000");

  const std::string tag = get(blob, client).header("ETag");
  const Answer known = get(blob, client, headers({{"If-None-Match", "\"other\", W/" + tag}}));
  EXPECT_EQ(known.status, 304);
  EXPECT_EQ(known.text, "");
  EXPECT_EQ(known.header("ETag"), tag);
  EXPECT_EQ(get(blob, client, headers({{"If-None-Match", "\"other\""}})).status, 200);
  EXPECT_EQ(get(blob, client, headers({{"Range", "bytes=0-9"}, {"If-Range", tag}})).status, 206);
  EXPECT_EQ(get(blob, client, headers({{"Range", "bytes=0-9"}, {"If-Range", "\"other\""}})).status, 200);
  EXPECT_EQ(get(blob, client, headers({{"Range", "bytes=0-9"}, {"If-Range", "W/" + tag}})).status, 200) << "weak is not enough";
  const Answer head = send("HEAD", blob, client, {}, headers({{"Range", "bytes=5-9"}}));
  EXPECT_EQ(head.status, 206);
  EXPECT_EQ(head.header("Content-Length"), "5");
}

TEST_P(Blobs, AreReadThroughAVisibleRecordOnly) {
  const std::string blob = store("hidden", "text/plain");
  const std::string url = "/v1/blobs/" + blob;
  const server::IssuedGrants granted = issue({{"shelf", "covers", {}, {}, {}, {}}});
  expect_error(get(url, granted.token), 404, "blob_not_found");
  name_it("c1", blob);
  EXPECT_EQ(get(url, granted.token).text, "hidden");
  expect_error(get(url, token_for({"shelf", "covers", {"id"}, {}, {}, {}})), 404, "blob_not_found");
  expect_error(get(url, token_for({"shelf", "covers", {}, {}, {}, {"c9"}})), 404, "blob_not_found");
  expect_error(get(url, token_for({"shelf", "books", {}, {}, {}, {}})), 404, "blob_not_found");
  expect_error(get("/v1/blobs/blob_sha256_00", granted.token), 404, "blob_not_found");
  expect_error(get("/v1/blobs/nonsense", granted.token), 404, "blob_not_found");
  expect_error(get(url, ""), 401, "authentication_error");
  expect_error(get(url + "?nonsense=1", granted.token), 400, "invalid_request");
  EXPECT_EQ(send("DELETE", "/v1/streams/covers/records/c1?connection_id=shelf", owner_token()).status, 204);
  name_it("c2", blob);
  expect_error(get(url, granted.token), 404, "blob_not_found");  // the bytes were deleted with the only record that had them
  EXPECT_EQ(store("hidden", "text/plain"), blob);
  EXPECT_EQ(get(url, granted.token).status, 200);
  EXPECT_EQ(send("POST", "/grants/" + granted.grant_ids.front() + "/revoke", owner_token()).status, 200);
  expect_error(get(url, granted.token), 403, "grant_revoked");
}

TEST_P(Blobs, CountAgainstTheBudgetBeforeTheFirstByte) {
  const std::string text = store(std::string(220'000, 'x'), "text/plain"), image = store(bytes_of(3'500'000), "image/png");
  name_it("t", text);
  name_it("i", image);
  const auto issued = issue({{"shelf", "covers", {}, {}, {}, {}}});
  must(server().ledger().set_budget(owner(), issued.grant_ids.front(), 2'000, 3'600'000));
  const auto part = [&](const std::string& blob, const std::string& range) {
    return send("GET", "/v1/blobs/" + blob, issued.token, "", headers({{"Range", range}}));
  };
  expect_error(get("/v1/blobs/" + text, issued.token), 429, "rate_limit_exceeded");
  EXPECT_EQ(part(text, "bytes=0-1499").status, 206);
  expect_error(part(text, "bytes=0-500"), 429, "rate_limit_exceeded");
  EXPECT_EQ(part(text, "bytes=0-499").status, 206);
  EXPECT_EQ(part(image, "bytes=0-99999").status, 206);
  const Answer all = get("/v1/blobs/" + image, issued.token);
  EXPECT_EQ(all.status, 200) << "the budget of bytes has room for exactly this";
  EXPECT_EQ(all.text.size(), 3'500'000U);
  expect_error(part(image, "bytes=0-0"), 429, "rate_limit_exceeded");
  const Answer use = get("/v1/ledger/use", owner_token());
  EXPECT_EQ(use.number("/data/0/chars"), 2'000) << use.text;
  EXPECT_EQ(use.number("/data/0/bytes"), 3'600'000) << use.text;

  // Sets the budget in the serving process; another process would see it only within a second.
  ASSERT_EQ(send("PUT", "/v1/grants/" + issued.grant_ids.front() + "/budget", owner_token(),
                 R"({"chars_a_day":2000,"bytes_a_day":7000000})", headers({{"Content-Type", "application/json"}}))
                .status,
            200);
  const Answer refused = get("/v1/blobs/" + image, issued.token);
  expect_error(refused, 429, "rate_limit_exceeded");
  EXPECT_EQ(get("/v1/ledger/use", owner_token()).number("/data/0/bytes"), 3'600'000) << "no piece of a refused response leaves";
}

LADDER_FOR_EVERY_ENGINE(Blobs);

}  // namespace
}  // namespace ladder::wire
