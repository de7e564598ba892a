// The terminal gives its bytes at once and unechoed; Ctrl-C comes as a byte too, so that no signal leaves the terminal like that.
#include "cli/keyboard.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace ladder::cli {
namespace {

constexpr int kSequenceMilliseconds = 50;  // the bytes of one key come together

// -1 at the end of the input, or when nothing came in time.
int next_byte(int patience) {
  pollfd ready = {STDIN_FILENO, POLLIN, 0};
  for (;;) {
    const int there = ::poll(&ready, 1, patience);
    if (there < 0 && errno == EINTR) continue;
    if (there <= 0) return -1;
    char byte = 0;
    const ssize_t got = ::read(STDIN_FILENO, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    return got == 1 ? static_cast<unsigned char>(byte) : -1;
  }
}

// What follows an escape: "[C", "OC", "[6~"; nothing when it was the key Escape itself.
Key sequence() {
  std::string rest;
  for (int byte; rest.size() < 8 && (byte = next_byte(kSequenceMilliseconds)) >= 0;) {
    rest += static_cast<char>(byte);
    const bool begins = rest == "[" || rest == "O";
    if (!begins && (byte == '~' || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z'))) break;
  }
  if (rest.empty()) return Key::kQuit;
  if (rest == "[C" || rest == "OC" || rest == "[B" || rest == "OB" || rest == "[6~") return Key::kNext;
  if (rest == "[D" || rest == "OD" || rest == "[A" || rest == "OA" || rest == "[5~") return Key::kPrevious;
  return Key::kOther;
}

}  // namespace

std::optional<Keyboard> Keyboard::open() {
  termios before{};
  if (::isatty(STDIN_FILENO) != 1 || ::tcgetattr(STDIN_FILENO, &before) != 0) return std::nullopt;
  termios raw = before;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  if (::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) != 0) return std::nullopt;
  return Keyboard(before);
}

Keyboard::Keyboard(Keyboard&& other) noexcept : before_(other.before_) { other.before_.reset(); }

Keyboard::~Keyboard() {
  if (before_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &*before_);
}

Key Keyboard::read() {
  switch (next_byte(-1)) {
    case 'n':
    case ' ':
    case '\n':
    case '\r':
      return Key::kNext;
    case 'p':
    case 'b':
      return Key::kPrevious;
    case 'm':
      return Key::kNextMatch;
    case 'q':
    case 3:  // Ctrl-C
    case 4:  // Ctrl-D
    case -1:
      return Key::kQuit;
    case 27:
      return sequence();
    default:
      return Key::kOther;
  }
}

}  // namespace ladder::cli
