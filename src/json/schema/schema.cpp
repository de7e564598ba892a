#include "json/schema/schema.h"

#include "json/schema/schema_program.h"

#include <utility>

namespace ladder::json {

struct Schema::Program : schema::Program {};

Result<Schema> Schema::compile(const boost::json::value& schema) {
  LADDER_TRY(auto program, schema::compile(schema));
  Schema compiled;
  compiled.program_ = std::make_shared<const Program>(Program{std::move(program)});
  return compiled;
}

std::optional<Violation> Schema::validate(const Value& checked) const {
  return program_ ? schema::validate(*program_, checked) : std::nullopt;
}

const std::vector<std::string>& Schema::unenforced() const {
  static const std::vector<std::string> none;
  return program_ ? program_->unenforced : none;
}

}  // namespace ladder::json
