// The port over HTTP: any PDPP resource server, asked with a scoped token (contract 0.1 of mcp-adapter). One call of the port is
// one GET, but for the first with a token (the server is asked whose it is), servers that refuse a bound of Ladder's (once, then
// it is remembered) or send blobs on to another server.
// One file per operation:
//   schema.cpp  records.cpp  record.cpp  aggregate.cpp  search.cpp  field_window.cpp (with next_match.cpp and cut_window.cpp)
//   blob.cpp
#pragma once

#include "port/resource_port.h"
#include "remote/exchange.h"
#include "remote/schema_memory.h"
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
  std::shared_ptr<CursorKey> cursor_key;      // null: one of this process
  std::string ca_file;                        // PEM; empty: the system's
  std::chrono::milliseconds timeout{30'000};  // for one exchange
  std::size_t max_body_bytes = 64 * 1024 * 1024;
};

// Thread-safe.
class RemotePort final : public port::ResourcePort {
 public:
  // Connects to nothing yet. kInvalidRequest for an address or a file of certificates that cannot be used.
  static Result<std::unique_ptr<RemotePort>> create(const RemoteOptions& options);

  Result<port::SchemaView> schema(const port::SchemaRequest& request, std::stop_token stop) override;
  Result<port::RecordsPage> records(const port::RecordsRequest& request, std::stop_token stop) override;
  Result<port::Record> record(const port::RecordRequest& request, std::stop_token stop) override;
  Result<port::AggregateResult> aggregate(const port::AggregateRequest& request, std::stop_token stop) override;
  Result<port::SearchPage> search(const port::SearchRequest& request, std::stop_token stop) override;
  Result<evidence::FieldWindow> field_window(const port::FieldWindowRequest& request, std::stop_token stop) override;
  Result<port::Blob> blob(const port::BlobRequest& request, std::stop_token stop) override;

 private:
  RemotePort(Exchange exchange, std::shared_ptr<CursorKey> key);

  Result<port::RecordsPage> records_page(const port::RecordsRequest& request, const std::stop_token& stop);
  Result<port::RecordsPage> fewer_records(port::RecordsRequest request, const std::stop_token& stop);
  Result<WindowRead> ask_window(const port::FieldWindowRequest& request, std::int64_t most_chars, const std::stop_token& stop);
  // For servers that read no windows of such a value: the record is read once, and the window cut here.
  Result<WindowRead> cut_window(const port::FieldWindowRequest& request, std::int64_t most_chars, const std::stop_token& stop);
  Result<WholeValue> whole_value(const port::FieldWindowRequest& request, const std::stop_token& stop);
  Result<evidence::FieldWindow> resume(const port::FieldWindowRequest& request, const port::UnpackedCursor& cursor,
                                       const std::stop_token& stop);
  Result<evidence::FieldWindow> match_inside(const port::FieldWindowRequest& request, std::int64_t match_chars,
                                             const std::stop_token& stop);
  Result<evidence::FieldWindow> next_match(const port::FieldWindowRequest& request, const port::UnpackedCursor& cursor,
                                           const std::stop_token& stop);
  // The window at this offset, of the content that the cursor was made for.
  Result<evidence::FieldWindow> window_at(const port::FieldWindowRequest& request, const port::UnpackedCursor& cursor,
                                          std::int64_t offset, std::int64_t limit, const std::stop_token& stop);
  Result<port::Blob> blob_facts(const port::BlobRequest& request, const std::stop_token& stop);

  Exchange exchange_;
  std::shared_ptr<CursorKey> key_;
  WindowCursors cursors_;
  // What is remembered of the server.
  SchemaMemory schemas_;
  ValueMemory values_;
  std::atomic<bool> refuses_bounds_ = false;  // max_field_chars and max_bytes
  std::atomic<bool> seals_nothing_ = false;   // its windows come without cursors
};

}  // namespace ladder::remote
