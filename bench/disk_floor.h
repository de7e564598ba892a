// Measures the disk alone: a thread repeats the minimum I/O of a small commit. It overwrites part of a preallocated
// file and waits for the sync. Next to a benchmark of wait times this distinguishes a stalling disk from a lock that is
// held: the thread shares only the disk and the cores with the rest of the program.
#pragma once

#include "report.h"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace ladder::bench {

class DiskFloor {
 public:
  // Writes to a new file in the folder and removes it at the end. Pauses this long after each write.
  DiskFloor(const std::string& folder, std::chrono::milliseconds pause);
  ~DiskFloor();
  DiskFloor(const DiskFloor&) = delete;
  DiskFloor& operator=(const DiskFloor&) = delete;

  const Samples& stop();  // how long each write took

 private:
  void run(std::chrono::milliseconds pause);

  int file_ = -1;
  Samples writes_;  // written by the thread only, until it has ended
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace ladder::bench
