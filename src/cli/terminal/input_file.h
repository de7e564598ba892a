// Files and standard input for commands: small files are read at once, RECORD lines in pieces.
#pragma once

#include "app/stop_signal.h"
#include "base/error/error.h"
#include "server/ingest/ingest.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ladder::cli {

// Returns kNotFound if the file cannot be opened or read, kResourceLimit if it is larger than `max_bytes`; "-" is standard
// input.
Result<std::string> read_whole_file(const std::string& path, std::size_t max_bytes);

// An open file or standard input ("-"). A blocked read ends with kCancelled when a stop is requested.
class InputFile final : public server::ByteSource {
 public:
  static Result<std::unique_ptr<InputFile>> open(const std::string& path, const app::StopSignal& stop);
  ~InputFile() override;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  Result<std::size_t> read(char* buffer, std::size_t capacity) override;

  std::optional<std::int64_t> size() const { return size_; }                               // set for a regular file
  std::int64_t bytes_read() const { return bytes_read_.load(std::memory_order_relaxed); }  // may be called from any thread
  bool is_terminal() const;

 private:
  InputFile(int fd, std::string name, const app::StopSignal& stop) : fd_(fd), name_(std::move(name)), stop_(stop) {}

  int fd_;
  std::string name_;
  const app::StopSignal& stop_;
  std::optional<std::int64_t> size_;
  std::atomic<std::int64_t> bytes_read_ = 0;
};

}  // namespace ladder::cli
