#include "remote/token_kinds.h"

#include "base/text/format.h"
#include "model/quote.h"
#include "remote/answer.h"

namespace ladder::remote {
namespace {

// mcp_package is a client's, too: several grants under one token (PDPP "tokens").
bool is_clients(std::string_view kind) { return kind == "client" || kind == "mcp_package"; }

std::string kind_in(std::string_view schema_body) {
  auto answer = Answer::parse(schema_body);
  if (!answer) return {};
  const Object outer = answer->object();
  const json::Value* const inside = outer.find("data");
  const Object body = inside && inside->kind == json::Kind::kObject ? outer.at("data", *inside) : outer;
  const json::Value* const bearer = body.find("bearer");
  if (!bearer || bearer->kind != json::Kind::kObject) return {};
  return body.at("bearer", *bearer).hint({"token_kind", "pdpp_token_kind"});
}

}  // namespace

void TokenKinds::learn(const std::string& token, std::string_view schema_body) {
  std::string kind = kind_in(schema_body);
  if (kind.empty()) return;
  const MutexLock lock(mutex_);
  if (kinds_.size() >= kMaxTokens && !kinds_.contains(token)) kinds_.clear();
  kinds_.insert_or_assign(token, std::move(kind));
}

bool TokenKinds::knows(const std::string& token) {
  const MutexLock lock(mutex_);
  return kinds_.contains(token);
}

Status TokenKinds::check(const std::string& token, std::string_view server) {
  const MutexLock lock(mutex_);
  const auto found = kinds_.find(token);
  if (found == kinds_.end()) {
    return fail(
        Code::kRsProtocol,
        format("{} does not say in bearer.token_kind of its /v1/schema whether the token is a client's or an owner's, and "
               "an owner's credentials never reach an agent; nothing is read. Where the token is kept in a file, its "
               "\"token_kind\": \"client\" says so, too",
               server));
  }
  if (is_clients(found->second)) return {};
  if (found->second == "owner") {
    return fail(Code::kPermission,
                "the token is an owner's, and an owner's credentials never reach an agent; use a client's token");
  }
  return fail(Code::kPermission,
              format("the token is of kind {}, which is not known here; use a client's token", model::in_quotes(found->second)));
}

}  // namespace ladder::remote
