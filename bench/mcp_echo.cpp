// The floor of MCP over standard input and output: answers each line with a line of the given size.
//   bench_mcp_echo BYTES
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

bool say(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

int main(int count, char** words) {
  const std::string answer = std::string(count > 1 ? static_cast<std::size_t>(std::atoll(words[1])) : 0, 'x') + '\n';
  std::array<char, 65'536> buffer;
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got <= 0) return 0;
    for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(got))) {
      if (c == '\n' && !say(answer)) return 0;
    }
  }
}
