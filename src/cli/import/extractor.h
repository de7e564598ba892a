// The child process that reads outside formats: started, told what to read, listened to, and ended. Whatever it does — crash,
// hang, run into a limit, send nonsense — is an error of one call here, with a sentence that names it.
#pragma once

#include "base/error/error.h"
#include "cli/app/stop_signal.h"
#include "import/wire/frame.h"

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ladder::cli {

class Extractor final : public imports::wire::FrameSource {
 public:
  // `program` is the path of ladder-extract, `words` its arguments, `version` that of this program. kNotSetUp when it cannot be
  // started.
  static Result<std::unique_ptr<Extractor>> start(const std::string& program, const std::vector<std::string>& words,
                                                  std::string_view version, const Stop& stop);
  ~Extractor() override;  // ends it
  Extractor(const Extractor&) = delete;
  Extractor& operator=(const Extractor&) = delete;

  Status order(std::string_view line);  // to its standard input
  Status give(std::string_view bytes);  // all of its standard input, which ends there
  // The next frame. kCancelled when a stop is requested; kRsTimeout when it is silent for too long; kRsUnreachable when it ended,
  // with how; kRsProtocol for nonsense; kNotSetUp when it is not of this program's version, which its first frame tells. After an
  // error the process is gone.
  Result<imports::wire::Frame> next() override;

 private:
  Extractor(std::string program, std::string_view version, pid_t process, int input, int output, const Stop& stop)
      : program_(std::move(program)), version_(version), process_(process), input_(input), output_(output), stop_(stop) {}
  Result<imports::wire::Frame> next_of_any_kind();
  Status check_hello(const imports::wire::Frame& first) const;
  Status wait_for_bytes() const;
  Status write_all(std::string_view bytes);
  std::string end();  // kills it if need be; how it ended

  std::string program_, version_;
  bool greeted_ = false;
  pid_t process_;
  int input_, output_;
  const Stop& stop_;
  imports::wire::FrameReader frames_;
};

// Beside this program, or where LADDER_EXTRACT says.
std::string extractor_program(const std::optional<std::string>& told);

}  // namespace ladder::cli
