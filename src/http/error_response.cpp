// The PDPP error envelope (contract 9.1):
//   {"error":{"type":…,"code":…,"message":…,"param"?,…details…,"available_connections"?,"retry_with"?,"request_id":…}}
#include "base/utf8.h"
#include "http/message.h"
#include "json/error_details.h"
#include "json/writer.h"

namespace ladder::http {
namespace {

std::string_view type_of(int status) {
  switch (status) {
    case 400:
      return "invalid_request_error";
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 410:
      return "gone_error";
    case 413:
      return "request_entity_too_large_error";
    case 429:
      return "rate_limit_error";
    default:
      return "api_error";
  }
}

Code nearest_code(int status) {
  switch (status) {
    case 401:
      return Code::kAuthentication;
    case 403:
      return Code::kPermission;
    case 404:
      return Code::kNotFound;
    case 413:
    case 431:
      return Code::kResourceLimit;
    case 503:
    case 504:
      return Code::kDeadline;
    default:
      return status < 500 || status == 501 || status == 505 ? Code::kInvalidRequest : Code::kInternal;
  }
}

Response envelope(int status, const Error& error, std::string_view request_id) {
  json::Writer out;
  out.begin_object().key("error").begin_object();
  out.member("type", type_of(status)).member("code", error.wire());
  // Everything here passed validation once; a message that still is not UTF-8 must not make the answer invalid JSON.
  out.member("message", utf8::is_valid(error.message) ? std::string_view(error.message) : info(error.code).meaning);
  if (utf8::is_valid(error.param)) out.optional_member("param", error.param);
  if (error.more) {
    json::write_details(out, *error.more);
    if (!error.more->available_connections.empty()) out.member("retry_with", "connection_id");
  }
  out.optional_member("request_id", request_id).end_object().end_object();
  return Response::json(status, out.take());
}

}  // namespace

Response error_response(const Error& error, std::string_view request_id) {
  return envelope(error.http_status(), error, request_id);
}

Response refusal(int status, std::string_view message, std::string_view request_id) {
  return envelope(status, Error{nearest_code(status), std::string(message)}, request_id);
}

}  // namespace ladder::http
