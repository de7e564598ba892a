// The kinds of bad clients. The limits that they reach are the defaults of a server started without options.
#include "bad_clients.h"
#include "base/limits.h"
#include "base/text/format.h"
#include "http/server.h"

#include <random>

namespace ladder::faults {
namespace {

constexpr int kPipelined = 200;
constexpr milliseconds kPipelinesWithin = seconds(30);  // ten of them, of one client, under the full load
constexpr int kUnread = 60;                             // responses of kLongNoteChars each: more than any socket buffers hold
constexpr int kNotes = 100;

std::string record_request(const std::string& token, int n, bool last) {
  return format("GET /v1/streams/notes/records/n{}?fields=id HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {}\r\n{}\r\n",
                n % kNotes, token, last ? "Connection: close\r\n" : "");
}

std::string record_requests(const std::string& token, int count, bool with_last) {
  std::string all;
  for (int n = 0; n < count; ++n) all += record_request(token, n, with_last && n + 1 == count);
  return all;
}

std::string ingest_head(const std::string& owner_token, std::string_view framing) {
  return format("POST /v1/ingest/notes?connection_id=work HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {}\r\n{}\r\n\r\n",
                owner_token, framing);
}

std::string noise() {
  std::mt19937 random(7);
  std::string bytes = "\x80";
  while (bytes.size() < 4096) bytes.push_back(static_cast<char>(random() & 0xFF));
  return bytes;
}

std::string unread_requests(const std::string& token) {
  std::string all;
  for (int n = 0; n < kUnread; ++n) {
    // Reads of one record are never refused with 429 like expensive calls, so each of these requests gets a response.
    all += format("GET /v1/streams/notes/records/{} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {}\r\n\r\n", kLongNote,
                  token);
  }
  return all;
}

void add_slow_ones(std::vector<BadBehavior>& all, const std::string& token, const std::string& owner_token) {
  const http::ServerOptions limits;
  const milliseconds head = limits.header_time, body = limits.body_time, write = limits.write_time;
  const std::string start = "GET /v1/streams/notes/records/n1 HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ";
  all.push_back({.kind = "says nothing", .clients = 30, .least = head, .most = head});
  all.push_back({.kind = "stops in its head", .clients = 20, .says = start, .status = 408, .least = head, .most = head});
  all.push_back(
      {.kind = "drips its head", .clients = 30, .says = start, .drips = "x", .status = 408, .least = head, .most = head});
  all.push_back({.kind = "stops in its body",
                 .clients = 20,
                 .says = ingest_head(owner_token, "Content-Length: 1000") + "{\"key\"",
                 .status = 408,
                 .least = body,
                 .most = body});
  all.push_back({.kind = "drips its body",
                 .clients = 20,
                 .says = ingest_head(owner_token, "Content-Length: 100000"),
                 .drips = " ",
                 .status = 408,
                 .least = body,
                 .most = body});
  all.push_back({.kind = "drips its chunks",
                 .clients = 10,
                 .says = ingest_head(owner_token, "Transfer-Encoding: chunked"),
                 .drips = "1\r\n \r\n",
                 .status = 408,
                 .least = body,
                 .most = body});
  all.push_back({.kind = "never reads",
                 .clients = 20,
                 .says = unread_requests(token),
                 .reads = false,
                 .answers = kUnread,
                 .least = write,
                 .most = write});
}

void add_oversized_ones(std::vector<BadBehavior>& all, const std::string& owner_token) {
  const http::ServerOptions limits;
  const std::string over(limits.max_header_bytes + 1024, 'x');
  const std::string start = "GET /v1/streams HTTP/1.1\r\nHost: 127.0.0.1\r\n";
  all.push_back({.kind = "a header too long", .clients = 6, .says = start + "X: " + over, .status = 431});
  all.push_back({.kind = "a target too long", .clients = 3, .says = "GET /" + over, .status = 431});
  std::string many = start;
  for (int n = 0; n < 500; ++n) many += format("X{}: y\r\n", n);
  all.push_back({.kind = "headers too many", .clients = 3, .says = many + "\r\n", .status = 431});
  all.push_back(
      {.kind = "a body too long",
       .clients = 6,
       .says = ingest_head(owner_token, format("Content-Length: {}", 50 * limits::kMiB + 1)) + std::string(200'000, ' '),
       .status = 413});
  all.push_back({.kind = "a chunk too long",
                 .clients = 3,
                 .says = ingest_head(owner_token, "Transfer-Encoding: chunked") + "4000000\r\n",
                 .status = 413});
  all.push_back({.kind = "a body nobody asked for", .clients = 3, .says = start + "Content-Length: 3\r\n\r\nabc", .status = 413});
}

void add_garbage(std::vector<BadBehavior>& all, const std::string& owner_token) {
  all.push_back({.kind = "noise", .clients = 5, .says = noise(), .status = 400});
  all.push_back({.kind = "words", .clients = 5, .says = "HELO there\r\n\r\n", .status = 400});
  all.push_back({.kind = "TLS", .clients = 5, .says = "\x16\x03\x01\x02\x01 hello\r\n\r\n", .status = 400});
  all.push_back({.kind = "a body of two lengths",
                 .clients = 3,
                 .says = ingest_head(owner_token, "Content-Length: 5\r\nTransfer-Encoding: chunked") + "0\r\n\r\n",
                 .status = 400});
  all.push_back({.kind = "chunks of nonsense",
                 .clients = 3,
                 .says = ingest_head(owner_token, "Transfer-Encoding: chunked") + "xyz\r\n",
                 .status = 400});
}

void add_half_open_ones(std::vector<BadBehavior>& all) {
  all.push_back({.kind = "hangs up at once", .clients = 5, .hangs_up = true});
  all.push_back({.kind = "hangs up in its head", .clients = 5, .says = "GET /v1/streams HTTP/1.1\r\nHo", .hangs_up = true});
}

}  // namespace

std::vector<BadBehavior> bad_behaviors(const std::string& token, const std::string& owner_token) {
  std::vector<BadBehavior> all;
  add_slow_ones(all, token, owner_token);
  add_oversized_ones(all, owner_token);
  add_garbage(all, owner_token);
  add_half_open_ones(all);
  all.push_back({.kind = "pipelines",
                 .clients = 5,
                 .says = record_requests(token, kPipelined, true),
                 .answers = kPipelined,
                 .most = kPipelinesWithin});
  all.push_back({.kind = "pipelines, then garbage",
                 .clients = 5,
                 .says = record_requests(token, kPipelined, false) + "GARBAGE\r\n\r\n",
                 .answers = kPipelined,
                 .status = 400,
                 .most = kPipelinesWithin});
  return all;
}

}  // namespace ladder::faults
