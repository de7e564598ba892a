// The disk alone: a thread that does the least that a small commit asks of it, again and again. It overwrites a part of a file
// that has its full size and waits until the bytes are on the disk. Beside a benchmark of waits it tells a disk that stalls from
// a lock that is held: the thread shares nothing but the disk and the cores with anybody.
#pragma once

#include "report.h"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace ladder::bench {

class DiskFloor {
 public:
  // Writes into a new file in the folder, which is gone with it. Pauses so long after each write.
  DiskFloor(const std::string& folder, std::chrono::milliseconds pause);
  ~DiskFloor();
  DiskFloor(const DiskFloor&) = delete;
  DiskFloor& operator=(const DiskFloor&) = delete;

  const Samples& stop();  // how long each write has taken

 private:
  void run(std::chrono::milliseconds pause);

  int file_ = -1;
  Samples writes_;  // of the thread until it has ended
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace ladder::bench
