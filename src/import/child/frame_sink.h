// Writes frames to standard output. Buffers them, writes large blocks, and detects a broken pipe.
#pragma once

#include "base/error/error.h"
#include "import/io/sink.h"
#include "import/wire/frame.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ladder::imports {

class Pipe {
 public:
  explicit Pipe(int descriptor) : descriptor_(descriptor) {}
  // Returns kCancelled if the pipe has no reader.
  Status send(wire::Kind kind, std::string_view payload);
  Status flush();

 private:
  Status write_all(std::string_view bytes) const;

  int descriptor_;
  std::string out_;  // buffered small frames
};

// The sink of the child process: turns everything a format sends into frames. It also reports progress, and renews the
// CPU time limit with every progress report.
class FrameSink final : public Sink {
 public:
  // `alive` is called at most every half second.
  FrameSink(Pipe& pipe, std::function<void()> alive) : pipe_(pipe), alive_(std::move(alive)) {}

  Status record(const Record& record) override;
  Status long_record(Record head, Bytes& data, std::uint64_t size) override;
  Result<std::string> blob(std::string_view mime_type, Bytes& bytes) override;
  Status lost(const wire::FileLocation& at, std::string_view reason) override;
  Status skipped(std::string_view stream, std::string_view reason) override;
  Status gone(std::string_view stream, std::string_view key) override;
  Status complete() override;
  Status checkpoint(std::string_view position) override;

  // Returns true if the format has sent a record, or reported why it has none.
  bool has_reported() const { return has_reported_; }

  // Called by the trees while they are read.
  void took(std::int64_t bytes);

 private:
  // Writes the record's header to head_. If the parent would reject the record, reports it as lost and returns false.
  Result<bool> begin(const Record& record, std::uint64_t size);
  Status tick();  // at most every half second: reports progress and flushes

  Pipe& pipe_;
  std::function<void()> alive_;
  std::int64_t bytes_read_ = 0;
  bool has_reported_ = false;
  std::chrono::steady_clock::time_point last_tick_ = std::chrono::steady_clock::now();
  std::string head_;
};

}  // namespace ladder::imports
