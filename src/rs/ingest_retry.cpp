// How long and how often.
#include "rs/ingest_retry.h"

#include <algorithm>
#include <thread>

namespace ladder::rs {
namespace {

constexpr int kTriesOfAFile = 3;
constexpr std::chrono::milliseconds kLongestPause{2000};

}  // namespace

bool Patience::again(const Error& error) {
  if (error.code != Code::kStoreUnavailable) return false;
  const auto now = std::chrono::steady_clock::now();
  if (++tries_ == 1) began_ = now;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(began_ + observer_.patience() - now);
  const bool enough = server_ ? left.count() <= 0 : tries_ >= kTriesOfAFile;
  if (enough || observer_.wants_stop()) return false;
  std::this_thread::sleep_for(server_ ? std::min(pause_, left) : pause_);
  pause_ = std::min(2 * pause_, kLongestPause);
  return true;
}

}  // namespace ladder::rs
