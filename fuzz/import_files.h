// Checks what holds for every format whatever bytes a file of it has.
#pragma once

#include "import/child/format.h"
#include "model/declaration/declaration.h"

#include <memory>
#include <string>
#include <string_view>

namespace ladder::fuzz {

class FormatCheck {
 public:
  explicit FormatCheck(const imports::Format& format);
  // One file of that name; one the format does not know is passed over.
  void run(std::string name, std::string_view bytes) const;

 private:
  const imports::Format& format_;
  std::shared_ptr<const model::SourceDeclaration> declaration_;
};

}  // namespace ladder::fuzz
