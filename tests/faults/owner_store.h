// An owner's store in any location and of either engine, with the fixtures' notes and a connection "work": filled and
// granted in this process, served by others.
#pragma once

#include "store/engines/open_store.h"
#include "support/server_fixture.h"

#include <memory>
#include <string>
#include <string_view>

namespace ladder::faults {

using test_support::must;
using test_support::record_line;
using test_support::text_member;

class OwnerStore {
 public:
  explicit OwnerStore(const std::string& location) : store_(must(store::open_store(location, store::OpenMode::kCreate))) {
    must_hold(store_->add_owner("local", Clock::system().now()).has_value());
    server_ = std::make_unique<server::ResourceServer>(*store_, Clock::system());
    must(server_->sources().add(owner(), test_support::notes_declaration(), "notes"));
    must(server_->sources().add_connection(owner(), "notes", "", "work"));
    owner_token_ = must(server_->owner_tokens().create(owner()));
  }

  server::Access owner() { return must(server_->accesses().local_owner("local")); }
  const std::string& owner_token() const { return owner_token_; }

  void put(std::string_view lines) {
    test_support::TextSource bytes(lines);
    server::LineSource source(bytes, limits::kMaxLineBytes);
    test_support::QuietObserver observer;
    must_hold(must(server_->ingest().put_records(owner(), {"work", "notes"}, source, observer)).rejected == 0);
  }
  // Adds notes n0, n1, … with this body.
  void put_notes(int count, std::string_view body) {
    std::string lines;
    for (int n = 0; n < count; ++n) lines += record_line(format("n{}", n), text_member("body", body));
    put(lines);
  }

  // Adds a stream "covers" in a connection "shelf" with one record that references a blob of these bytes; returns its
  // id.
  std::string put_cover(std::string_view bytes) {
    must(server_->sources().add(owner(), kCovers, "covers"));
    must(server_->sources().add_connection(owner(), "covers", "", "shelf"));
    test_support::TextSource source(bytes);
    std::string blob = must(server_->ingest().put_blob(owner(), "image/png", source)).blob_id;
    const std::string line = record_line("c1", format("\"blob_ref\":{{\"blob_id\":\"{}\"}}", blob));
    test_support::TextSource text(line);
    server::LineSource lines(text, limits::kMaxLineBytes);
    test_support::QuietObserver observer;
    must_hold(must(server_->ingest().put_records(owner(), {"shelf", "covers"}, lines, observer)).accepted == 1);
    return blob;
  }

  server::IssuedGrants grant(std::string stream = "notes", std::string client = "reader") {
    server::GrantRequest request;
    request.client_id = std::move(client);
    request.streams = {{"", std::move(stream), {}, {}, {}, {}}};
    return must(server_->grants().create(owner(), request));
  }

  server::ResourceServer& server() { return *server_; }
  store::Store& store() { return *store_; }

 private:
  static constexpr std::string_view kCovers = R"({"protocol_version":"0.1.0","declaration_version":"1",
    "source":{"kind":"connector","id":"https://sources.example/covers"},"publisher":{"id":"https://sources.example/"},
    "display":{"name":"Covers"},"streams":[{"name":"covers","semantics":"mutable_state","primary_key":["id"],
      "selection":{"fields":true,"resources":true},"query":{"aggregations":{"count":true}},
      "schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},
        "blob_ref":{"type":"object","required":["blob_id"],"properties":{"blob_id":{"type":"string"},
          "mime_type":{"type":"string"},"sha256":{"type":"string"},"size_bytes":{"type":"integer"}}}}}}]})";

  static void must_hold(bool fact) {
    if (!fact) throw std::runtime_error("the store could not be set up");
  }

  std::unique_ptr<store::Store> store_;
  std::unique_ptr<server::ResourceServer> server_;
  std::string owner_token_;
};

}  // namespace ladder::faults
