// Standard output as the frames' way out: gathered, written in large pieces, and a broken pipe noticed.
#pragma once

#include "base/result.h"
#include "extract/frame.h"

#include <string>
#include <string_view>

namespace ladder::imports {

class Pipe {
 public:
  explicit Pipe(int descriptor) : descriptor_(descriptor) {}
  // kCancelled when nobody reads any more.
  Status send(extract::Kind kind, std::string_view payload);
  Status flush();

 private:
  int descriptor_;
  std::string out_;
};

}  // namespace ladder::imports
