#include "disk_floor.h"

#include "scene.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdint>

namespace ladder::bench {
namespace {

constexpr std::int64_t kFrameBytes = 4'120;         // one page in SQLite's log, with its header
constexpr std::int64_t kFrames = 25;                // written by a commit of ten records of 300 chars
constexpr std::int64_t kFileFrames = 40 * kFrames;  // 4 MB
static_assert(kFileFrames % kFrames == 0);

void write_frame(int file, std::int64_t frame, const std::string& bytes) {
  if (::pwrite(file, bytes.data(), bytes.size(), frame * kFrameBytes) != kFrameBytes) give_up("the disk floor cannot be written");
}

void flush(int file) {
  if (::fdatasync(file) != 0) give_up("the disk floor cannot be flushed");
}

}  // namespace

DiskFloor::DiskFloor(const std::string& folder, std::chrono::milliseconds pause) {
  std::string name = folder + "/disk-floor-XXXXXX";
  file_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (file_ < 0) give_up("the disk floor has no file");
  ::unlink(name.c_str());
  const std::string zeros(kFrameBytes, '\0');
  for (std::int64_t frame = 0; frame < kFileFrames; ++frame) write_frame(file_, frame, zeros);
  flush(file_);
  thread_ = std::thread([this, pause] { run(pause); });
}

DiskFloor::~DiskFloor() {
  stop();
  ::close(file_);
}

const Samples& DiskFloor::stop() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
  return writes_;
}

void DiskFloor::run(std::chrono::milliseconds pause) {
  for (std::int64_t round = 0; !stop_; ++round) {
    const std::string bytes(kFrameBytes, static_cast<char>(round));
    const std::int64_t first = round * kFrames % kFileFrames;
    writes_.time([&] {
      for (std::int64_t frame = first; frame < first + kFrames; ++frame) write_frame(file_, frame, bytes);
      flush(file_);
    });
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace ladder::bench
