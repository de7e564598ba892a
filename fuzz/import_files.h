// Checks the properties of every format for a file of any bytes.
#pragma once

#include "import/formats/format.h"
#include "model/declaration/declaration.h"

#include <memory>
#include <string>
#include <string_view>

namespace ladder::fuzz {

class FormatCheck {
 public:
  explicit FormatCheck(const imports::Format& format);
  // Reads one file of that name; a format skips names that it does not know.
  void run(std::string name, std::string_view bytes) const;

 private:
  const imports::Format& format_;
  std::shared_ptr<const model::SourceDeclaration> declaration_;
};

}  // namespace ladder::fuzz
