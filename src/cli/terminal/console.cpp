// Writes directly to the file descriptors, so that no output is lost when the program ends or is killed.
#include "cli/terminal/console.h"

#include "base/text/columns.h"
#include "base/text/format.h"
#include "base/text/visible_text.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace ladder::cli {
namespace {

// Returns 0, or the errno of the failed write.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

bool shows_colors(int fd, bool no_color) {
  const char* term = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe): no thread sets variables
  return !no_color && ::isatty(fd) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

std::size_t columns(int fd) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// Shows the text in $PAGER, or in less if it is installed. Returns false if there is no pager.
bool show_in_pager(const std::string& text) {
  const char* const chosen = std::getenv("PAGER");  // NOLINT(concurrency-mt-unsafe): no thread sets variables
  ::setenv("LESS", "FRX", 0);                       // NOLINT(concurrency-mt-unsafe): keep colors and the text on the screen
  const std::string command = chosen != nullptr && *chosen != '\0' ? chosen : "less";
  const std::string test = format("command -v {} >/dev/null 2>&1", shell_word(command.substr(0, command.find(' '))));
  if (std::system(test.c_str()) != 0) return false;   // NOLINT(concurrency-mt-unsafe,cert-env33-c): the user's own pager
  FILE* const pager = ::popen(command.c_str(), "w");  // NOLINT(cert-env33-c)
  if (pager == nullptr) return false;
  std::fwrite(text.data(), 1, text.size(), pager);  // fails when the user leaves the pager early, which is no error
  ::pclose(pager);
  return true;
}

}  // namespace

Console::Console(bool no_color)
    : out_is_terminal_(::isatty(STDOUT_FILENO) == 1),
      err_is_terminal_(::isatty(STDERR_FILENO) == 1),
      out_colors_(shows_colors(STDOUT_FILENO, no_color)),
      err_colors_(shows_colors(STDERR_FILENO, no_color)) {}

void Console::out(std::string_view text) {
  if (pages_) kept_ += text;
  else write(text);
}

void Console::finish() {
  if (!pages_) return;
  pages_ = false;
  const auto lines = static_cast<std::size_t>(std::ranges::count(kept_, '\n'));
  if (lines < out_rows() || !show_in_pager(kept_)) write(kept_);
  kept_.clear();
}

void Console::write(std::string_view text) {
  if (output_closed_ || output_failed_) return;
  const int error = write_all(STDOUT_FILENO, text);
  output_closed_ = error == EPIPE;
  output_failed_ = error != 0 && error != EPIPE;
}

void Console::err(std::string_view text) { static_cast<void>(write_all(STDERR_FILENO, text)); }

std::size_t Console::out_columns() const { return columns(STDOUT_FILENO); }
std::size_t Console::out_rows() const {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

std::size_t Console::err_columns() const { return columns(STDERR_FILENO); }

std::string Console::paint(bool colors, Tone tone, std::string_view text) {
  if (!colors || tone == Tone::kPlain) return std::string(text);
  const char* code = tone == Tone::kStrong  ? "\x1b[1m"
                     : tone == Tone::kFaint ? "\x1b[2m"
                     : tone == Tone::kGood  ? "\x1b[32m"
                                            : "\x1b[31m";
  return code + std::string(text) + "\x1b[0m";
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::int64_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size()) out.append(static_cast<std::size_t>(widths[i] - columns_of(row[i]) + 2), ' ');
    }
    out += '\n';
  }
  return out;
}

std::string table_or_lines(const Console& console, const std::vector<std::vector<std::string>>& rows) {
  if (console.out_is_terminal()) {
    const std::string text = table(rows);
    const std::size_t heading = text.find('\n');
    return console.paint_out(Tone::kStrong, text.substr(0, heading)) + text.substr(heading);
  }
  std::string out;
  for (std::size_t at = 1; at < rows.size(); ++at) {
    for (std::size_t i = 0; i < rows[at].size(); ++i) out += (i == 0 ? "" : "\t") + rows[at][i];
    out += '\n';
  }
  return out;
}

// Switches the terminal to unbuffered input without echo. Ctrl-C arrives as a byte, so that no signal leaves the terminal in
// this mode.

namespace {

constexpr int kSequenceMilliseconds = 50;  // the bytes of one key arrive together

// Returns -1 at the end of the input or on a timeout.
int next_byte(int timeout) {
  pollfd ready = {STDIN_FILENO, POLLIN, 0};
  for (;;) {
    const int there = ::poll(&ready, 1, timeout);
    if (there < 0 && errno == EINTR) continue;
    if (there <= 0) return -1;
    char byte = 0;
    const ssize_t got = ::read(STDIN_FILENO, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    return got == 1 ? static_cast<unsigned char>(byte) : -1;
  }
}

// Reads the rest of an escape sequence: "[C", "OC", "[6~"; empty for the Escape key itself.
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
