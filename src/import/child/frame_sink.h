// Writes frames to standard output: it gathers them, writes them in large pieces, and notices a broken pipe.
#pragma once

#include "base/error/error.h"
#include "import/child/sink.h"
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
  // kCancelled when nobody reads any more.
  Status send(imports::wire::Kind kind, std::string_view payload);
  Status flush();

 private:
  Status write_all(std::string_view bytes) const;

  int descriptor_;
  std::string out_;  // small frames
};

// The sink of the child process: everything a format sends becomes frames. It also tells how far the unit is, and renews the
// limit on processor time with every sign of progress.
class FrameSink final : public Sink {
 public:
  // `alive` is called now and then, at most every half second.
  FrameSink(Pipe& pipe, std::function<void()> alive) : pipe_(pipe), alive_(std::move(alive)) {}

  Status record(const Record& record) override;
  Status long_record(Record head, Bytes& data, std::uint64_t size) override;
  Result<std::string> blob(std::string_view mime_type, Bytes& bytes) override;
  Status lost(const imports::wire::Place& at, std::string_view reason) override;
  Status skipped(std::string_view stream, std::string_view reason) override;
  Status checkpoint(std::string_view position) override;

  // Says whether the format has sent a record, or told why there is none.
  bool told_anything() const { return told_anything_; }

  // Called by the trees while they are read.
  void took(std::int64_t bytes);

 private:
  // Puts the record's head into head_. False when the other side would refuse it, which is then told as lost.
  Result<bool> begin(const Record& record, std::uint64_t size);
  Status tick();  // at most every half second: progress, and everything gathered goes out

  Pipe& pipe_;
  std::function<void()> alive_;
  std::int64_t bytes_read_ = 0;
  bool told_anything_ = false;
  std::chrono::steady_clock::time_point last_tick_ = std::chrono::steady_clock::now();
  std::string head_;
};

}  // namespace ladder::imports
