// What a stream requires beside its key. Every grant of the stream has it, whatever fields the grant names (contract 4.2).
#pragma once

#include "model/declaration.h"

#include <string>
#include <vector>

namespace ladder::model {

std::vector<std::string> required_content(const Stream& stream);  // in declared order
bool requires_content(const SourceDeclaration& declaration);      // any of its streams does

}  // namespace ladder::model
