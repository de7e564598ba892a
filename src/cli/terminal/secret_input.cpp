#include "cli/terminal/secret_input.h"

#include <termios.h>
#include <unistd.h>

#include <iostream>

namespace ladder::cli {

std::string read_secret(Console& console, std::string_view prompt) {
  termios before{};
  const bool terminal = isatty(STDIN_FILENO) != 0 && tcgetattr(STDIN_FILENO, &before) == 0;
  if (terminal) {
    console.err(prompt);
    termios quiet = before;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
  }
  std::string line;
  std::getline(std::cin, line);
  if (terminal) {
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    console.err("\n");
  }
  return line;
}

}  // namespace ladder::cli
