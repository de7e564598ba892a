// --token: whether a command reads as the owner or as a client.
#pragma once

#include "base/error/error.h"
#include "cli/app/command.h"

#include <optional>
#include <string>

namespace ladder::cli {

class Caller {
 public:
  void declare(Arguments& arguments);

  // The owner, unless a token is asked for: LADDER_TOKEN alone changes nothing, so that nobody reads as another than they think.
  Result<server::Access> who(const Context& context, Session& session) const;

  std::string flags() const { return token_ ? " --token env" : ""; }  // for a command that Ladder prints: never the token itself
  std::string hint() const;                                           // a line that belongs under such commands, or empty

 private:
  std::optional<std::string> token_;
};

}  // namespace ladder::cli
