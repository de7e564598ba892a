// ladder sync add: stores the settings of a source after a test of them.
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/visible_text.h"
#include "cli/invocation/failure.h"
#include "cli/sync/secret_flags.h"
#include "cli/sync/sync_text.h"
#include "sync/known_hosts.h"

#include <charconv>

namespace ladder::cli {
namespace {

class SyncAdd final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("KIND", kind_, "imap (a mail account), caldav (calendars), carddav (contacts) or maildir (a folder of mail)");
    arguments.word("NAME", source_.name, "your name for the account: small letters, digits, dots and dashes");
    arguments.value("--user", "USER", user_, "the user name, mostly the address");
    arguments.value("--path", "PATH", path_, "the folder of a maildir, such as the one that mbsync fills");
    arguments.value("--host", "HOST", host_, "the mail server (default: known for the address of a common provider)");
    arguments.value("--url", "URL", url_,
                    "the CalDAV or CardDAV server: its name, or the address of the account or of a calendar");
    arguments.value("--port", "PORT", port_, "its port (default: 993, or 143 without --security tls)");
    arguments.value("--security", "tls|starttls|plain", security_, "the encryption (default: tls; plain only on this computer)");
    arguments.value("--ca", "FILE", ca_, "PEM certificates to trust for this server (default: the system's)");
    secret_.declare(arguments);
    arguments.each_value(
        "--folder", "NAME",
        [this](const std::string& name) -> Status {
          source_.folders.push_back(name);
          return {};
        },
        "sync only this folder, calendar or address book; may be repeated (default: all except junk, trash and folders that "
        "repeat others)");
    arguments.value("--every", "TIME", every_, "how often `ladder serve` looks for changes: 15m, 1h, 1d (default: 15m)");
    arguments.value("--connection", "ID", connection_,
                    "the connection for the records (default: mail-NAME, calendar-NAME or contacts-NAME)");
    arguments.flag("--keep-deleted", source_.keep_deleted, "keep records of what is deleted at the source");
    arguments.flag("--no-test", no_test_, "do not sign in now");
    arguments.example("ladder sync add imap gmail --user ann@gmail.com");
    arguments.example("ladder sync add imap work --user ann --host mail.example --password-command 'pass show mail/work'");
    arguments.example("ladder sync add caldav calendar --url https://dav.example --user ann");
    arguments.example("ladder sync add maildir work --path ~/Mail/work");
    arguments.example("ladder sync add imap lists --user ann@example.org --host imap.example.org --folder Lists --every 1h");
  }

  Result<int> run(Context& context) override {
    LADDER_CHECK(take_settings());
    const StopToken stop;
    LADDER_TRY(const auto session, Session::open_or_create(context.console, context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    std::string secret;
    if (sync::has_secret(source_.kind)) {
      LADDER_TRY(secret, secret_.read(context.console, source_));
    }
    LADDER_CHECK(session->sync_store().check_new(owner, source_));
    std::string found;
    if (!no_test_) {
      LADDER_TRY(found, test(context, *session, owner, secret, stop.get()));
    }
    LADDER_CHECK(session->sync_store().add(owner, source_, secret));
    if (context.console.json()) {
      json::Writer out;
      write(out, source_, {}, 0);
      context.console.out(out.take() + "\n");
    } else {
      context.console.out(
          format("Added {}: {}records go to the connection {}.\n"
                 "Next: ladder sync run {}   (a running `ladder serve` begins within seconds)\n",
                 source_.name, found, source_.connection, source_.name));
    }
    return kDone;
  }

 private:
  Status take_settings() {
    const auto kind = sync::kind_of(kind_);
    if (!kind)
      return fail(Code::kInvalidRequest,
                  format("'{}' cannot be synced; the kinds are imap, caldav, carddav and maildir", visible_label(kind_)), "KIND");
    source_.kind = *kind;
    source_.user = user_.value_or("");
    source_.connection = connection_.value_or(sync::connection_prefix(source_.kind) + source_.name);
    if (every_) {
      LADDER_TRY(source_.every_seconds, parse_every(*every_));
    }
    source_.server.ca_file = ca_ ? std::filesystem::absolute(*ca_).string() : "";
    if (source_.kind == sync::Kind::kMaildir) return take_path();
    return source_.kind == sync::Kind::kImap ? take_server() : take_url();
  }

  Status take_path() {
    if (!path_ || path_->empty()) return fail(Code::kInvalidRequest, "name the folder with --path", "--path");
    std::error_code error;
    source_.address = std::filesystem::weakly_canonical(*path_, error).string();
    if (error) return fail(Code::kInvalidRequest, format("'{}': {}", visible_label(*path_), error.message()), "--path");
    return {};
  }

  Status take_url() {
    if (!url_ || url_->empty()) return fail(Code::kInvalidRequest, "name the server with --url", "--url");
    source_.address = *url_;
    return {};
  }

  Status take_server() {
    if (source_.user.empty()) return fail(Code::kInvalidRequest, "name the user with --user", "--user");
    source_.server.host = host_.value_or(sync::host_for(source_.user));
    if (source_.server.host.empty())
      return fail(Code::kInvalidRequest, format("name the mail server of {} with --host", visible_label(source_.user)), "--host");
    if (security_ && *security_ != "tls" && *security_ != "starttls" && *security_ != "plain")
      return fail(Code::kInvalidRequest, "--security must be tls, starttls or plain", "--security");
    if (security_)
      source_.server.security = *security_ == "plain"      ? sync::imap::Security::kPlain
                                : *security_ == "starttls" ? sync::imap::Security::kStartTls
                                                           : sync::imap::Security::kTls;
    source_.server.port = source_.server.security == sync::imap::Security::kTls ? 993 : 143;
    if (port_) {
      const auto [end, error] = std::from_chars(port_->data(), port_->data() + port_->size(), source_.server.port);
      if (error != std::errc() || end != port_->data() + port_->size() || source_.server.port == 0)
        return fail(Code::kInvalidRequest, "--port must be a number from 1 to 65535", "--port");
    }
    return {};
  }

  // Signs in before anything is stored.
  Result<std::string> test(Context& context, Session& session, const server::Access& owner, const std::string& secret,
                           const std::stop_token& stop) const {
    app::SyncRunner runner = make_runner(context, session);
    LADDER_TRY(const app::SourceTest found, runner.test(owner, source_, secret, stop));
    std::int64_t messages = 0, folders = 0;
    for (const app::SourceTest::Folder& folder : found.folders) {
      if (!folder.is_synced) continue;
      ++folders;
      messages += folder.messages.value_or(0);
    }
    const std::string count = messages > 0 ? format("{} messages in ", grouped(messages)) : "";
    return format("{}{}{} of {} folders; ", sync::has_secret(source_.kind) ? "signed in, " : "", count, folders,
                  found.folders.size());
  }

  std::string kind_;
  sync::Source source_;
  std::optional<std::string> user_, path_, url_, host_, port_, security_, ca_, every_, connection_;
  SecretFlags secret_;
  bool no_test_ = false;
};

}  // namespace

std::unique_ptr<Command> make_sync_add() { return std::make_unique<SyncAdd>(); }

}  // namespace ladder::cli
