#include "http/message/message.h"

#include "base/limits.h"
#include "json/scan/scan.h"

#include <gtest/gtest.h>

namespace ladder::http {
namespace {

TEST(Headers, NamesAreCaseInsensitiveAndKeepTheirOrder) {
  Headers headers;
  headers.add("Accept", "a");
  headers.add("X-One", "1");
  headers.add("accept", "b");
  EXPECT_EQ(headers.get("ACCEPT"), "a");
  EXPECT_EQ(headers.count("aCCept"), 2U);
  EXPECT_EQ(headers.get("Acceptx"), std::nullopt);
  EXPECT_EQ(headers.all()[2].second, "b");
}

TEST(Headers, SetReplacesAllFieldsOfThatName) {
  Headers headers;
  headers.add("A", "1");
  headers.add("B", "2");
  headers.add("a", "3");
  headers.set("a", "4");
  EXPECT_EQ(headers.count("A"), 1U);
  EXPECT_EQ(headers.all().front().second, "4");
  headers.set("C", "5");
  EXPECT_EQ(headers.get("c"), "5");
  headers.remove("A");
  EXPECT_EQ(headers.all().size(), 2U);
  EXPECT_EQ(headers.get("A"), std::nullopt);
}

TEST(Request, SplitsPathAndQueryAtTheFirstQuestionMark) {
  Request request;
  request.target = "/v1/streams?a=1?b";
  EXPECT_EQ(request.path(), "/v1/streams");
  EXPECT_EQ(request.query(), "a=1?b");
  request.target = "/v1/streams";
  EXPECT_EQ(request.path(), "/v1/streams");
  EXPECT_EQ(request.query(), "");
}

TEST(ErrorResponse, IsTheEnvelopeOfTheContract) {
  const Response response = error_response(Error{Code::kUnknownField, "no \"x\" here", "fields"}, "req_1");
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.headers.get("content-type"), "application/json; charset=utf-8");
  EXPECT_EQ(response.body, R"({"error":{"type":"invalid_request_error","code":"unknown_field","message":"no \"x\" here",)"
                           R"("param":"fields","request_id":"req_1"}})");
}

TEST(ErrorResponse, TypeFollowsTheStatus) {
  const auto type = [](Code code) {
    const std::string body = error_response(Error{code, "m"}, "r").body;
    return body.substr(0, body.find(",\"code\""));
  };
  EXPECT_EQ(type(Code::kAuthentication), R"({"error":{"type":"authentication_error")");
  EXPECT_EQ(type(Code::kFieldNotGranted), R"({"error":{"type":"permission_error")");
  EXPECT_EQ(type(Code::kNotFound), R"({"error":{"type":"not_found_error")");
  EXPECT_EQ(type(Code::kCursorExpired), R"({"error":{"type":"gone_error")");
  EXPECT_EQ(type(Code::kResourceLimit), R"({"error":{"type":"request_entity_too_large_error")");
  EXPECT_EQ(type(Code::kStaleCursor), R"({"error":{"type":"api_error")");
  EXPECT_EQ(type(Code::kStoreUnavailable), R"({"error":{"type":"api_error")");
}

TEST(ErrorResponse, AStaleCursorReportsTheCurrentField) {
  Error error{Code::kStaleCursor, "changed"};
  error.details().record = "notes~1";
  error.details().field_path = "body";
  error.details().digest = "sha256:ab";
  error.details().size_chars = 12;
  error.details().resume_offset_chars = 0;
  const Response response = error_response(error, "r");
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(response.body,
            R"({"error":{"type":"api_error","code":"stale_cursor","message":"changed","record":"notes~1","field_path":"body",)"
            R"("digest":"sha256:ab","size_chars":12,"resume_offset_chars":0,"request_id":"r"}})");
}

TEST(ErrorResponse, ChoicesComeWithTheParameterToRetryWith) {
  Error error{Code::kAmbiguousConnection, "several"};
  error.details().available_connections = {{"c1", "mail", "inbox", "Work"}, {"c2", "mail", "inbox", ""}};
  EXPECT_EQ(error_response(error, "r").body,
            R"({"error":{"type":"api_error","code":"ambiguous_connection","message":"several","available_connections":[)"
            R"({"connection_id":"c1","display_name":"Work"},{"connection_id":"c2","display_name":"c2"}],"available_sources":[)"
            R"({"connection_id":"c1","connector_key":"mail","stream":"inbox"},)"
            R"({"connection_id":"c2","connector_key":"mail","stream":"inbox"}],"retry_with":"connection_id","request_id":"r"}})");
}

TEST(ErrorResponse, TheLogDetailStaysInside) {
  Error error{Code::kInternal, "m"};
  error.log_detail = "secret";
  EXPECT_EQ(error_response(error, "r").body.find("secret"), std::string::npos);
}

TEST(ErrorResponse, IsJsonEvenForAnInvalidMessage) {
  const Response response = error_response(Error{Code::kInvalidUtf8, "bad \xff byte", "p\xff"}, "r");
  EXPECT_TRUE(json::check(response.body, limits::kMaxJsonDepth).has_value());
}

TEST(Refusal, HasTheStatusAndTheNearestCode) {
  EXPECT_EQ(refusal(405, "m", "r").body,
            R"({"error":{"type":"api_error","code":"invalid_request","message":"m","request_id":"r"}})");
  EXPECT_EQ(refusal(405, "m", "r").status, 405);
  EXPECT_NE(refusal(413, "m", "r").body.find("\"resource_limit\""), std::string::npos);
  EXPECT_NE(refusal(431, "m", "r").body.find("\"resource_limit\""), std::string::npos);
  EXPECT_NE(refusal(503, "m", "r").body.find("\"deadline_exceeded\""), std::string::npos);
  EXPECT_NE(refusal(500, "m", "r").body.find("\"api_error\""), std::string::npos);
  EXPECT_NE(refusal(404, "m", "r").body.find("\"not_found_error\""), std::string::npos);
}

TEST(ResponseHead, IsWellFormed) {
  Headers headers;
  headers.add("Content-Type", "text/plain");
  EXPECT_EQ(response_head(200, headers, {Framing::kLength, 5, Persistence::kKeepAlive}, "D"),
            "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(response_head(413, {}, {Framing::kChunked, 0, Persistence::kClose}, "D"),
            "HTTP/1.1 413 Content Too Large\r\nDate: D\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(response_head(299, {}, {Framing::kNone, 0, Persistence::kKeepAliveSaid}, "D"),
            "HTTP/1.1 299 Status\r\nDate: D\r\nConnection: keep-alive\r\n\r\n");
}

TEST(ResponseHead, OmitsServerFieldsAndInvalidFields) {
  Headers headers;
  headers.add("content-length", "9");
  headers.add("TRANSFER-ENCODING", "x");
  headers.add("connection", "x");
  headers.add("date", "x");
  headers.add("A", "b\r\nc: d");
  headers.add("Bad Name", "x");
  headers.add("Good", "\ttab and \xc3\xa9");
  EXPECT_FALSE(headers_are_sound(headers));
  EXPECT_EQ(response_head(200, headers, {Framing::kUntilClose, 0, Persistence::kKeepAlive}, "D"),
            "HTTP/1.1 200 OK\r\nDate: D\r\nGood: \ttab and \xc3\xa9\r\n\r\n");
  Headers good;
  good.add("Good", "x");
  EXPECT_TRUE(headers_are_sound(good));
}

TEST(ResponseHead, FormatsHttpDates) {
  EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
}

}  // namespace
}  // namespace ladder::http
