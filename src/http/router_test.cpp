#include "http/router.h"

#include <gtest/gtest.h>

namespace ladder::http {
namespace {

RouteParameter in_path(std::string_view name) {
  return {.name = name, .place = ParameterPlace::kPath, .summary = "", .required = true};
}

enum Handler { kStreams, kStream, kRecord, kDeleteRecord, kSpecial, kRoot };

std::vector<Route> table() {
  return {
      {.method = "GET", .pattern = "/v1/streams", .handler = kStreams, .name = "list_streams", .summary = "The streams"},
      {.method = "GET",
       .pattern = "/v1/streams/{stream}",
       .handler = kStream,
       .name = "get_stream",
       .summary = "",
       .parameters = {in_path("stream")}},
      {.method = "GET",
       .pattern = "/v1/streams/{stream}/records/{id}",
       .handler = kRecord,
       .name = "get_record",
       .summary = "",
       .parameters = {in_path("stream"), in_path("id"), {.name = "fields", .summary = ""}, {.name = "view", .summary = ""}}},
      {.method = "DELETE",
       .pattern = "/v1/streams/{stream}/records/{id}",
       .handler = kDeleteRecord,
       .name = "delete_record",
       .summary = "",
       .parameters = {in_path("stream"), in_path("id")}},
      {.method = "GET", .pattern = "/v1/streams/special", .handler = kSpecial, .name = "special", .summary = ""},
      {.method = "POST", .pattern = "/", .handler = kRoot, .name = "root", .summary = ""},
  };
}

class RouterTest : public ::testing::Test {
 protected:
  Router router_ = Router::create(table()).value();
};

TEST_F(RouterTest, FindsARowAndItsParameters) {
  const auto found = router_.match("GET", "/v1/streams/notes/records/n-1");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->route->handler, kRecord);
  EXPECT_EQ(found->at("stream"), "notes");
  EXPECT_EQ(found->at("id"), "n-1");
  EXPECT_EQ(found->at("other"), "");
  EXPECT_EQ(router_.match("DELETE", "/v1/streams/notes/records/n-1")->route->handler, kDeleteRecord);
  EXPECT_EQ(router_.match("POST", "/")->route->handler, kRoot);
}

TEST_F(RouterTest, HeadFindsTheGetRow) { EXPECT_EQ(router_.match("HEAD", "/v1/streams")->route->handler, kStreams); }

TEST_F(RouterTest, PrefersALiteralSegment) {
  EXPECT_EQ(router_.match("GET", "/v1/streams/special")->route->handler, kSpecial);
  EXPECT_EQ(router_.match("GET", "/v1/streams/specials")->route->handler, kStream);
}

TEST_F(RouterTest, DecodesParametersOnceAfterSplitting) {
  const auto found = router_.match("GET", "/v1/streams/a%2Fb/records/50%2525%20+%C3%A9");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->at("stream"), "a/b");
  EXPECT_EQ(found->at("id"), "50%25 +é");
}

TEST_F(RouterTest, RejectsBadEncodings) {
  for (const auto path : {"/v1/streams/%", "/v1/streams/%f", "/v1/streams/%zz", "/v1/streams/%ff", "/v1/streams/%00"}) {
    const auto found = router_.match("GET", path);
    ASSERT_FALSE(found.has_value()) << path;
    EXPECT_EQ(found.error().status, 400) << path;
  }
}

TEST_F(RouterTest, UnknownPathsAndTrailingSlashesAreNotFound) {
  for (const auto path : {"", "v1/streams", "/v1", "/v1/streams/", "/v1/streams/notes/", "/v1//notes", "/V1/streams",
                          "/v1/%73treams", "/v1/streams//records/x", "/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r"}) {
    const auto found = router_.match("GET", path);
    ASSERT_FALSE(found.has_value()) << path;
    EXPECT_EQ(found.error().status, 404) << path;
  }
}

TEST_F(RouterTest, NamesTheAllowedMethods) {
  auto found = router_.match("PUT", "/v1/streams/notes/records/1");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().status, 405);
  EXPECT_EQ(found.error().allow, "GET, HEAD, DELETE");
  EXPECT_NE(found.error().nearest, nullptr);
  EXPECT_EQ(router_.match("HEAD", "/").error().allow, "POST");
  EXPECT_EQ(router_.match("get", "/v1/streams").error().status, 405);
}

TEST_F(RouterTest, QueryNamesComeFromTheTable) {
  EXPECT_EQ(router_.match("GET", "/v1/streams/a/records/b")->route->query_names(),
            (std::vector<std::string_view>{"fields", "view"}));
}

TEST(RouterCreate, RejectsFaultyTables) {
  const auto refused = [](Route route) {
    auto rows = table();
    rows.push_back(std::move(route));
    return !Router::create(std::move(rows)).has_value();
  };
  EXPECT_TRUE(refused({.method = "GET", .pattern = "no-slash", .name = "x", .summary = ""}));
  EXPECT_TRUE(refused({.method = "HEAD", .pattern = "/x", .name = "x", .summary = ""}));
  EXPECT_TRUE(refused({.method = "GET", .pattern = "/x{y}", .name = "x", .summary = ""}));
  EXPECT_TRUE(refused({.method = "GET", .pattern = "/x/{y}", .name = "x", .summary = ""}));
  EXPECT_TRUE(refused({.method = "GET", .pattern = "/x", .name = "x", .summary = "", .parameters = {in_path("y")}}));
  EXPECT_TRUE(refused({.method = "GET", .pattern = "/x/{y}/{y}", .name = "x", .summary = "", .parameters = {in_path("y")}}));
  EXPECT_TRUE(
      refused({.method = "GET", .pattern = "/v1/streams/{other}", .name = "x", .summary = "", .parameters = {in_path("other")}}));
  EXPECT_TRUE(refused({.method = "GET", .pattern = "/x", .name = "root", .summary = ""}));
  EXPECT_FALSE(refused({.method = "GET", .pattern = "/x", .name = "x", .summary = ""}));
}

}  // namespace
}  // namespace ladder::http
