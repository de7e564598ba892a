// The resource port over HTTP: any PDPP resource server, with a client token (PDPP "servers and adapters"). One call of the
// port is one GET. Exceptions: the first call with a token requests its kind, a server may reject a Ladder-specific bound
// (once, then it is remembered), and blobs may be redirected to another server.
// Windows are in field_window.cpp, blobs in blob.cpp, all other operations in remote_port.cpp.
#pragma once

#include "api/resource_port.h"
#include "remote/exchange.h"
#include "remote/value_memory.h"
#include "remote/window_cursors.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace ladder::remote {

struct WindowRead;

struct RemoteOptions {
  Endpoint endpoint;
  std::shared_ptr<Credentials> credentials;
  std::shared_ptr<CursorKey> cursor_key;      // null: a key of this process
  std::string ca_file;                        // PEM; empty: the system's
  std::chrono::milliseconds timeout{30'000};  // per exchange
  std::size_t max_body_bytes = 64 * 1024 * 1024;
};

// Thread-safe.
class RemotePort final : public api::ResourcePort {
 public:
  // Does not connect yet. Returns kInvalidRequest for an invalid address or certificate file.
  static Result<std::unique_ptr<RemotePort>> create(const RemoteOptions& options);

  Result<api::SchemaView> schema(const api::SchemaRequest& request, std::stop_token stop) override;
  Result<api::RecordsPage> records(const api::RecordsRequest& request, std::stop_token stop) override;
  Result<api::Record> record(const api::RecordRequest& request, std::stop_token stop) override;
  Result<api::AggregateResult> aggregate(const api::AggregateRequest& request, std::stop_token stop) override;
  Result<api::SearchPage> search(const api::SearchRequest& request, std::stop_token stop) override;
  Result<api::FieldWindow> field_window(const api::FieldWindowRequest& request, std::stop_token stop) override;
  Result<api::Blob> blob(const api::BlobRequest& request, std::stop_token stop) override;

 private:
  RemotePort(Exchange exchange, std::shared_ptr<CursorKey> key);

  Result<api::RecordsPage> records_page(const api::RecordsRequest& request, const std::stop_token& stop);
  Result<api::RecordsPage> fewer_records(api::RecordsRequest request, const std::stop_token& stop);
  Result<WindowRead> ask_window(const api::FieldWindowRequest& request, std::int64_t most_chars, const std::stop_token& stop);
  // For servers that support no windows of the value: reads the record once and cuts the window here.
  Result<WindowRead> cut_window(const api::FieldWindowRequest& request, std::int64_t most_chars, const std::stop_token& stop);
  Result<WholeValue> whole_value(const api::FieldWindowRequest& request, const std::stop_token& stop);
  Result<api::FieldWindow> resume(const api::FieldWindowRequest& request, const api::UnpackedCursor& cursor,
                                  const std::stop_token& stop);
  Result<api::FieldWindow> match_inside(const api::FieldWindowRequest& request, std::int64_t match_chars,
                                        const std::stop_token& stop);
  Result<api::FieldWindow> next_match(const api::FieldWindowRequest& request, const api::UnpackedCursor& cursor,
                                      const std::stop_token& stop);
  // Returns the window at this offset, of the same content that the cursor was created for.
  Result<api::FieldWindow> window_at(const api::FieldWindowRequest& request, const api::UnpackedCursor& cursor,
                                     std::int64_t offset, std::int64_t limit, const std::stop_token& stop);
  Result<api::Blob> blob_metadata(const api::BlobRequest& request, const std::stop_token& stop);

  Exchange exchange_;
  std::shared_ptr<CursorKey> key_;
  WindowCursors cursors_;
  // Facts known about the server.
  SchemaMemory schemas_;
  ValueMemory values_;
  std::atomic<bool> refuses_bounds_ = false;  // rejects max_field_chars and max_bytes
  std::atomic<bool> seals_nothing_ = false;   // its windows have no cursors
};

}  // namespace ladder::remote
