#include "http/response_head.h"

#include <gtest/gtest.h>

namespace ladder::http {
namespace {

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

TEST(ResponseHead, WhatTheServerDecidesAndWhatIsUnsoundIsLeftOut) {
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

TEST(ResponseHead, DatesAreThoseOfHttp) {
  EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
}

}  // namespace
}  // namespace ladder::http
