// The child process that reads outside formats: started, told what to read, listened to, and ended. Whatever it does — crash,
// hang, run into a limit, send nonsense — is an error of one call here, with a sentence that names it.
#pragma once

#include "base/result.h"
#include "cli/stop_signal.h"
#include "extract/frame.h"

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ladder::cli {

class Extractor {
 public:
  // `program` is the path of ladder-extract, `words` its arguments. kNotSetUp when it cannot be started.
  static Result<std::unique_ptr<Extractor>> start(const std::string& program, const std::vector<std::string>& words,
                                                  const StopSignal& stop);
  ~Extractor();  // ends it
  Extractor(const Extractor&) = delete;
  Extractor& operator=(const Extractor&) = delete;

  Status order(std::string_view line);  // to its standard input
  // The next frame. kCancelled when a stop is requested; kRsTimeout when it is silent for too long; kRsUnreachable when it ended,
  // with how; kRsProtocol for nonsense. After an error the process is gone.
  Result<extract::Frame> next();

 private:
  Extractor(pid_t process, int input, int output, const StopSignal& stop)
      : process_(process), input_(input), output_(output), stop_(stop) {}
  Status wait_for_bytes() const;
  std::string end();  // kills it if need be; how it ended

  pid_t process_;
  int input_, output_;
  const StopSignal& stop_;
  extract::FrameReader frames_;
  std::string buffer_;
};

// Beside this program, or where LADDER_EXTRACT says.
std::string extractor_program(const std::optional<std::string>& told);

}  // namespace ladder::cli
