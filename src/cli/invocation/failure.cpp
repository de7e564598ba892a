// Argument errors exit with kUsage, authorization errors with kRefused, all others with kFailed.
#include "cli/invocation/failure.h"

#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "json/writer.h"

namespace ladder::cli {

int exit_code(Code code) {
  switch (code) {
    case Code::kInvalidRequest:
    case Code::kInvalidArgument:
    case Code::kInvalidId:
    case Code::kInvalidHandle:
    case Code::kConflictingConnection:
    case Code::kInvalidFieldPath:
    case Code::kInvalidWindow:
      return kUsage;
    case Code::kNotSetUp:
      return kNotSetUp;
    default:
      break;
  }
  const int status = info(code).http_status;
  return status == 401 || status == 403 ? kRefused : kFailed;
}

// Error messages name the problem and the fix; the hint adds a command to run if there is one.

namespace {

std::string choices(const ErrorDetails& more) {
  std::string text = "choose one of these with --connection, or write the id as CONNECTION/STREAM:KEY:";
  for (const ConnectionChoice& choice : more.available_connections) {
    text += "\n        " + choice.connection_id;
    if (!choice.display_name.empty()) text += "  (" + visible_label(choice.display_name) + ")";
  }
  return text;
}

// Returns the next command to run, or "" if the message says enough.
std::string hint(const Error& error) {
  const ErrorDetails* more = error.more.get();
  switch (error.code) {
    case Code::kNotSetUp:
      if (is_of_newer_ladder(error)) return {};  // ladder init would not help
      return "ladder init creates or upgrades the store; --db or LADDER_DB selects it";
    case Code::kAuthentication:
      if (error.param == "password") return {};  // of a mail account
      return "ladder grant create prints a client's token once; create another if it is lost";
    case Code::kFieldNotGranted:
    case Code::kStreamNotAllowed:
    case Code::kGrantExpired:
    case Code::kGrantRevoked:
      return "the owner can allow it with: ladder grant create --client NAME --stream STREAM:FIELD,…";
    case Code::kPermission:
      return "only the owner may do this; run it without --token";
    case Code::kConnectionNotFound:
      return "ladder connection list shows the connections";
    case Code::kConnectorInvalid:
      return "fix the declaration and run the command again; nothing was changed";
    case Code::kIngestStorage:
      return "run the same command again: stored records are not stored twice";
    case Code::kAmbiguousConnection:
      return more != nullptr && !more->available_connections.empty() ? choices(*more) : "add the connection to the id";
    case Code::kStaleCursor:
      if (more == nullptr || more->record.empty() || more->resume_offset_chars < 0) return {};
      return format("continue with: ladder read {} {} --offset {}", shell_word(more->record), shell_word(more->field_path),
                    more->resume_offset_chars);
    default:
      return {};
  }
}

}  // namespace

std::string error_json(const Error& error) {
  json::Writer out;
  out.begin_object().member("code", error.wire()).member("message", visible_text(error.message).text);
  out.optional_member("param", error.param).member("http_status", error.http_status());
  if (error.more) json::write_details(out, *error.more);
  out.end_object();
  return out.take();
}

int report(Console& console, const Error& error) {
  if (console.json()) {
    console.out("{\"error\":" + error_json(error) + "}\n");
  } else {
    console.err(console.paint_err(Tone::kBad, "ladder: ") + visible_text(error.message).text + "\n");
    if (const std::string next = hint(error); !next.empty())
      console.err(console.paint_err(Tone::kFaint, "  hint: " + next) + "\n");
  }
  return exit_code(error.code);
}

}  // namespace ladder::cli
