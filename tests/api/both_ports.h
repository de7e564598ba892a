// Reads one store through both ports under one grant: LocalPort in this process, and RemotePort over loopback HTTP to
// the REST interface of the same resource server. Both must give the same results.
#pragma once

#include "api/render/render.h"
#include "http/middleware/access_log.h"
#include "http/server.h"
#include "remote/remote_port.h"
#include "rest/service.h"
#include "server/local_port.h"
#include "support/library_fixture.h"

#include <memory>
#include <regex>
#include <string>
#include <utility>

namespace ladder::api_tests {

using test_support::must;
using test_support::text_member;

class QuietLog final : public http::LogSink {
 public:
  void write(std::string_view) override {}
};

// Runs the server of `ladder serve` in this process.
class LoopbackService {
 public:
  LoopbackService(server::ResourceServer& server, const Clock& clock) {
    rest::ServiceOptions options;
    options.live.hosts = {"127.0.0.1", {}};
    service_ = must(rest::Service::create(server, options, clock, log_));
    http::ServerOptions listen;
    listen.port = 0;
    listen.threads = 1;
    listen.workers = 2;
    http_ = must(http::Server::start(listen, *service_));
  }
  std::string url() const { return format("http://127.0.0.1:{}", http_->port()); }

 private:
  QuietLog log_;
  std::unique_ptr<rest::Service> service_;
  std::unique_ptr<http::Server> http_;
};

inline std::unique_ptr<remote::RemotePort> remote_port(const std::string& url,
                                                       const std::shared_ptr<remote::Credentials>& credentials,
                                                       std::chrono::milliseconds timeout = std::chrono::seconds(20)) {
  remote::RemoteOptions options;
  options.endpoint = must(remote::parse_endpoint(url));
  options.credentials = credentials;
  options.timeout = timeout;
  auto port = must(remote::RemotePort::create(options));
  // Makes the port resolve the token's client first.
  if (!credentials->is_known_client(must(credentials->token()))) static_cast<void>(port->schema({}, {}));
  return port;
}
// Credentials whose client is already known, so that the port does not ask the server.
class KnownClientToken final : public remote::Credentials {
 public:
  explicit KnownClientToken(std::string token) : token_(std::move(token)) {}
  Result<std::string> token() override { return token_; }
  std::optional<std::string> instead_of(const std::string&) override { return std::nullopt; }
  bool is_known_client(const std::string&) override { return true; }
  std::string grant_id() const override { return {}; }
  std::string origin() const override { return "of a test"; }

 private:
  std::string token_;
};

inline std::unique_ptr<remote::RemotePort> remote_port(const std::string& url, const std::string& token) {
  return remote_port(url, std::make_shared<remote::FixedToken>(token));
}

// --- results as text, for comparison ---

// List cursors are sealed with a new nonce each time, so two for the same position differ: only their presence is
// compared, and each is used with the port that issued it. Window cursors are equal for the same read and are compared
// exactly.
inline std::string without_fresh_cursors(const std::string& text) {
  static const std::regex kCursor(R"re(("next_cursor":|"next_changes_since":|cursor=)"?[A-Za-z0-9_-]{40,}"?)re");
  return std::regex_replace(text, kCursor, "$1…");
}

inline std::string told(const api::SchemaView& view) {
  std::string text = api::render_schema(view, api::SchemaForm::kFull, true, {});
  for (const api::SourceView& source : view.sources) {
    for (const api::StreamView& stream : source.streams) text += format("\n{} {}", stream.name, api::records_in(stream));
  }
  return text;
}
inline std::string told(const api::Record& record) {
  std::string text = api::render(record, {}) + "\n" + record.data;
  for (const api::Expansion& expansion : record.expanded) {
    for (const api::Record& child : expansion.records) text += "\n" + child.data;
  }
  return text;
}
inline std::string told(const api::RecordsPage& page) {
  std::string text = api::render(page, "/", {});
  for (const api::Record& record : page.records) text += "\n" + record.data;  // lists do not name the connector of a record
  return without_fresh_cursors(text);
}
inline std::string told(const api::SearchPage& page) { return without_fresh_cursors(api::render(page, false, "/", {})); }
inline std::string told(const api::FieldWindow& window) { return api::to_json(window); }
inline std::string told(const api::AggregateResult& result) {
  std::string text =
      format("{} {} {} {}", result.filtered_record_count, result.value_json, result.other_count, result.approximate);
  for (const api::Group& group : result.groups) text += format(" {}={}", group.key_json.value_or("-"), group.count);
  return text;
}
inline std::string told(const api::Blob& blob) {
  return format("{} {} {} {} {} {}", blob.blob_id, blob.mime_type, blob.digest, blob.size_bytes, blob.first_byte, blob.bytes);
}
inline std::string told(const Error& error) {
  std::string text = format("{} {} param={} {}", error.http_status(), error.wire(), error.param, error.message);
  const ErrorDetails more = error.more ? *error.more : ErrorDetails();  // a remote error may have details only for its request id
  text += format(" rule={} record={} field={} digest={} size={} resume={}", more.rule, more.record, more.field_path, more.digest,
                 more.size_chars, more.resume_offset_chars);
  for (const ConnectionChoice& choice : more.available_connections) {
    text += format(" [{} {} {} {}]", choice.connection_id, choice.connector_key, choice.stream, choice.display_name);
  }
  return text;
}
template <class T>
std::string told(const Result<T>& result) {
  return result ? told(*result) : "refused " + told(result.error());
}

// --- the fixture ---

class BothPorts : public test_support::LibraryFixture {
 protected:
  BothPorts() : service_(server(), clock()) {}

  // Points both ports at a new client with this grant.
  void grant(std::vector<server::GrantSelection> streams) {
    const server::IssuedGrants issued = issue(std::move(streams));
    token_ = issued.token;
    local_ = std::make_unique<server::LocalPort>(server().read_roles(), must(server().accesses().authenticate(token_)));
    remote_ = remote_port(service_.url(), token_);
  }
  api::ResourcePort& local() { return *local_; }
  remote::RemotePort& remote() { return *remote_; }
  const std::string& token() const { return token_; }
  std::string url() const { return service_.url(); }

  // Requires equal results from both ports and returns the text.
  template <class T, class Ask>
  Result<T> same(Ask ask) {
    Result<T> here = ask(local());
    const Result<T> there = ask(static_cast<api::ResourcePort&>(remote()));
    EXPECT_EQ(told(there), told(here));
    return here;
  }
  Result<api::SchemaView> schema(const api::SchemaRequest& request) {
    return same<api::SchemaView>([&](api::ResourcePort& port) { return port.schema(request, {}); });
  }
  Result<api::RecordsPage> records(const api::RecordsRequest& request) {
    return same<api::RecordsPage>([&](api::ResourcePort& port) { return port.records(request, {}); });
  }
  Result<api::Record> record(const api::RecordRequest& request) {
    return same<api::Record>([&](api::ResourcePort& port) { return port.record(request, {}); });
  }
  Result<api::AggregateResult> aggregate(const api::AggregateRequest& request) {
    return same<api::AggregateResult>([&](api::ResourcePort& port) { return port.aggregate(request, {}); });
  }
  Result<api::SearchPage> search(const api::SearchRequest& request) {
    return same<api::SearchPage>([&](api::ResourcePort& port) { return port.search(request, {}); });
  }
  Result<api::FieldWindow> window(const api::FieldWindowRequest& request) {
    return same<api::FieldWindow>([&](api::ResourcePort& port) { return port.field_window(request, {}); });
  }
  Result<api::Blob> blob(const api::BlobRequest& request) {
    return same<api::Blob>([&](api::ResourcePort& port) { return port.blob(request, {}); });
  }

 private:
  LoopbackService service_;
  std::string token_;
  std::unique_ptr<server::LocalPort> local_;
  std::unique_ptr<remote::RemotePort> remote_;
};

}  // namespace ladder::api_tests
