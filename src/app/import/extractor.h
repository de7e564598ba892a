// The child process that parses external formats: starts it, sends orders, reads its frames and ends it. Every failure of the
// child (a crash, a hang, a limit, invalid output) becomes an error of one call here, with a message that names it.
#pragma once

#include "app/import/program_messages.h"
#include "app/stop_signal.h"
#include "base/error/error.h"
#include "import/wire/frame.h"

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ladder::app {

class Extractor final : public imports::wire::FrameSource {
 public:
  // `program` is the path of ladder-extract, `words` its arguments, `version` this program's version. Returns kNotSetUp if the
  // child cannot be started. `shows_errors`: what it and its programs write to standard error is shown (ProgramMessages). It
  // never gets this program's standard error, which may be a terminal.
  static Result<std::unique_ptr<Extractor>> start(const std::string& program, const std::vector<std::string>& words,
                                                  std::string_view version, const Stop& stop, bool shows_errors = false);
  ~Extractor() override;  // ends the child
  Extractor(const Extractor&) = delete;
  Extractor& operator=(const Extractor&) = delete;

  Status order(std::string_view line);         // writes to its standard input
  Status write_input(std::string_view bytes);  // writes all of its standard input and closes it
  // Returns the next frame. Errors: kCancelled if a stop is requested; kRsTimeout if the child is silent for too long;
  // kRsUnreachable if it ended, with the reason; kRsProtocol for invalid frames; kNotSetUp if its version, which the first
  // frame contains, is not this program's. After an error the child has ended.
  Result<imports::wire::Frame> next() override;

 private:
  Extractor(std::string program, std::string_view version, pid_t process, int input, int output, int errors, const Stop& stop);
  Result<imports::wire::Frame> next_of_any_kind();
  Status check_hello(const imports::wire::Frame& first) const;
  Status wait_for_bytes();
  void show_messages();
  Status write_all(std::string_view bytes);
  std::string end();  // kills the child if needed; returns how it ended

  std::string program_, version_;
  bool greeted_ = false;
  pid_t process_;
  int input_, output_, errors_;  // errors_ is -1 if they are not shown
  ProgramMessages messages_;
  const Stop& stop_;
  imports::wire::FrameReader frames_;
};

// Returns the path of ladder-extract: next to this program, or LADDER_EXTRACT if set.
std::string extractor_program(const std::optional<std::string>& configured);

}  // namespace ladder::app
