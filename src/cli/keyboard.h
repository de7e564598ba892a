// Single keys from the terminal, without Enter. The terminal is as it was again when this goes.
#pragma once

#include <termios.h>

#include <optional>

namespace ladder::cli {

enum class Key { kNext, kPrevious, kNextMatch, kQuit, kOther };

class Keyboard {
 public:
  // Nothing when standard input is no terminal.
  static std::optional<Keyboard> open();
  ~Keyboard();
  Keyboard(Keyboard&& other) noexcept;
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;
  Keyboard& operator=(Keyboard&&) = delete;

  // n, space, Enter, right, down, Page Down; p, b, left, up, Page Up; m; q, Escape, Ctrl-C, Ctrl-D and the end of the input.
  static Key read();

 private:
  explicit Keyboard(const termios& before) : before_(before) {}
  std::optional<termios> before_;
};

}  // namespace ladder::cli
