// Results go to standard output, messages and progress to standard error. Colors appear only on a terminal and without
// NO_COLOR. Not thread-safe, except for err(), which writes its text at once.
#pragma once

#include <termios.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

enum class Tone { kPlain, kStrong, kFaint, kGood, kBad };

class Console {
 public:
  explicit Console(bool no_color);

  bool json() const { return json_; }
  void set_json(bool json) { json_ = json; }

  void out(std::string_view text);
  // From now on the output is kept, and finish() shows it in a pager if it is longer than the terminal.
  void page_long_output() { pages_ = out_is_terminal_ && !json_; }
  void finish();
  void err(std::string_view text);
  // A reader that closed its end is not a failure; a full disk is.
  bool output_failed() const { return output_failed_; }

  bool out_is_terminal() const { return out_is_terminal_; }
  std::size_t out_columns() const;
  std::size_t out_rows() const;
  bool err_is_terminal() const { return err_is_terminal_; }
  std::size_t err_columns() const;

  // Returns the text in the tone's color if that output shows colors.
  std::string paint_out(Tone tone, std::string_view text) const { return paint(out_colors_, tone, text); }
  std::string paint_err(Tone tone, std::string_view text) const { return paint(err_colors_, tone, text); }

 private:
  void write(std::string_view text);
  static std::string paint(bool colors, Tone tone, std::string_view text);

  bool json_ = false;
  bool out_is_terminal_ = false, err_is_terminal_ = false;
  bool out_colors_ = false, err_colors_ = false;
  bool output_failed_ = false, output_closed_ = false;
  bool pages_ = false;
  std::string kept_;  // while pages_
};

// Formats columns padded to their display width, two spaces apart, one line per row. The first row is the heading.
std::string table(const std::vector<std::vector<std::string>>& rows);

// Returns a table with a bold heading on a terminal; elsewhere tab-separated lines without a heading.
std::string table_or_lines(const Console& console, const std::vector<std::vector<std::string>>& rows);

// Reads single keys from the terminal, without Enter. The destructor restores the terminal.
enum class Key { kNext, kPrevious, kNextMatch, kQuit, kOther };

class Keyboard {
 public:
  // Returns nothing if standard input is not a terminal.
  static std::optional<Keyboard> open();
  ~Keyboard();
  Keyboard(Keyboard&& other) noexcept;
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;
  Keyboard& operator=(Keyboard&&) = delete;

  // Maps n, space, Enter, right, down, Page Down; p, b, left, up, Page Up; m; q, Escape, Ctrl-C, Ctrl-D and the end of the
  // input.
  static Key read();

 private:
  explicit Keyboard(const termios& before) : before_(before) {}
  std::optional<termios> before_;
};

}  // namespace ladder::cli
