// Shows what a program of the owner writes to standard error: line by line, marked, without characters that control a
// terminal, and only up to kMaxMessageBytes.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace ladder::app {

// A traceback is shown, a flood is not.
inline constexpr std::size_t kMaxMessageLineBytes = 1000, kMaxMessageBytes = 64 * 1024;

class ProgramMessages {
 public:
  explicit ProgramMessages(std::function<void(const std::string&)> show) : show_(std::move(show)) {}

  void take(std::string_view bytes);
  void finish();  // shows a last line without an end

 private:
  void show_line();

  std::function<void(const std::string&)> show_;
  std::string line_;
  bool cut_ = false, silent_ = false;
  std::size_t shown_ = 0;  // bytes
};

}  // namespace ladder::app
