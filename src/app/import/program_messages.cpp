#include "app/import/program_messages.h"

#include "base/text/visible_text.h"

#include <algorithm>
#include <utility>

namespace ladder::app {

void ProgramMessages::take(std::string_view bytes) {
  while (!bytes.empty() && !silent_) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::size_t kept = std::min(end, kMaxMessageLineBytes - line_.size());
    line_ += bytes.substr(0, kept);
    cut_ = cut_ || kept < end;
    if (end < bytes.size()) show_line();
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
}

void ProgramMessages::finish() {
  if (!line_.empty()) show_line();
}

void ProgramMessages::show_line() {
  std::string text = "| " + visible_label(std::exchange(line_, {})) + (std::exchange(cut_, false) ? "…\n" : "\n");
  shown_ += text.size();
  silent_ = shown_ > kMaxMessageBytes;
  if (silent_) text = "| (more messages of the program are not shown)\n";
  show_(text);
}

}  // namespace ladder::app
