// ladder sync add: stores the settings of a source after a test of them.
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/visible_text.h"
#include "cli/invocation/failure.h"
#include "cli/sync/secret_flags.h"
#include "cli/sync/sync_text.h"
#include "sync/feed_sync.h"
#include "sync/known_hosts.h"

#include <charconv>

namespace ladder::cli {
namespace {

class SyncAdd final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("KIND", kind_,
                   "imap (a mail account), caldav (calendars), carddav (contacts), maildir (a folder of mail), folder (any "
                   "supported files), feed (RSS or Atom) or program (of your own)");
    arguments.word("NAME", source_.name, "your name for the account: small letters, digits, dots and dashes");
    arguments.value("--user", "USER", user_, "the user name, mostly the address");
    arguments.value(
        "--path", "PATH", path_,
        "the folder; of a maildir it is the one that mbsync fills, for example; with program, what the program may read");
    arguments.value("--with", "PROGRAM", program_, "the program, which writes JSON lines; docs/inside/importers.md has one");
    arguments.flag("--net", source_.net, "with program: it may use the network");
    arguments.value("--host", "HOST", host_, "the mail server (default: known for the address of a common provider)");
    arguments.value("--url", "URL", url_,
                    "the CalDAV or CardDAV server: its name, or the address of the account or of a calendar; or the address of a "
                    "feed");
    arguments.flag("--allow-private", source_.allows_private, "with feed: it is in a private network or on this computer");
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
    arguments.value("--every", "TIME", every_,
                    "how often `ladder serve` looks for changes: 15m, 1h, 1d (default: 15m, for feeds 1h)");
    arguments.value(
        "--connection", "ID", connection_,
        "the connection for the records (default: mail-NAME, calendar-NAME, contacts-NAME, feed-NAME or program-NAME)");
    arguments.flag("--keep-deleted", source_.keep_deleted, "keep records of what is deleted at the source");
    arguments.flag("--no-test", no_test_, "do not sign in now");
    arguments.example("ladder sync add imap gmail --user ann@gmail.com");
    arguments.example("ladder sync add imap work --user ann --host mail.example --password-command 'pass show mail/work'");
    arguments.example("ladder sync add caldav calendar --url https://dav.example --user ann");
    arguments.example("ladder sync add feed news --url https://news.example/feed.xml");
    arguments.example("ladder sync add program tracker --with ~/bin/tracker.py --path ~/.config/tracker.json --net");
    arguments.example("ladder sync add folder notes --path ~/Notes");
    arguments.example("ladder sync add maildir work --path ~/Mail/work");
    arguments.example("ladder sync add imap lists --user ann@example.org --host imap.example.org --folder Lists --every 1h");
  }

  Result<int> run(Context& context) override {
    LADDER_CHECK(take_settings());
    if (source_.kind == sync::Kind::kFolder) LADDER_CHECK(check_store_is_outside(context.settings.location));
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
      context.console.out(format(
          "Added {}: {}records go to {}.\n"
          "Next: ladder sync run {}   (a running `ladder serve` begins within seconds)\n",
          source_.name, found,
          source_.connection.empty() ? "the same connections as with `ladder import`" : "the connection " + source_.connection,
          source_.name));
    }
    return kDone;
  }

 private:
  Status take_settings() {
    const auto kind = sync::kind_of(kind_);
    if (!kind)
      return fail(Code::kInvalidRequest,
                  format("'{}' cannot be synced; the kinds are imap, caldav, carddav, maildir, folder, feed and program",
                         visible_label(kind_)),
                  "KIND");
    source_.kind = *kind;
    source_.user = user_.value_or("");
    source_.connection = connection_.value_or(sync::connection_prefix(source_.kind) + source_.name);
    if (source_.kind == sync::Kind::kFolder) {
      if (connection_)
        return fail(Code::kInvalidRequest, "a folder may contain several formats, so it has no single --connection",
                    "--connection");
      source_.connection.clear();
    }
    source_.every_seconds = sync::default_every_seconds(source_.kind);
    if (every_) {
      LADDER_TRY(source_.every_seconds, parse_every(*every_));
    }
    if (source_.kind != sync::Kind::kProgram && (program_ || source_.net))
      return fail(Code::kInvalidRequest, "--with and --net belong to the kind program", "--with");
    if (source_.kind != sync::Kind::kFeed && source_.allows_private)
      return fail(Code::kInvalidRequest, "--allow-private belongs to the kind feed", "--allow-private");
    source_.server.ca_file = ca_ ? std::filesystem::absolute(*ca_).string() : "";
    if (source_.kind == sync::Kind::kProgram) LADDER_CHECK(take_program());
    if (sync::is_local(source_.kind) || source_.kind == sync::Kind::kProgram) return take_path();
    return source_.kind == sync::Kind::kImap ? take_server() : take_url();
  }

  Status take_program() {
    if (!program_ || program_->empty()) return fail(Code::kInvalidRequest, "name the program with --with", "--with");
    std::error_code error;
    source_.program = std::filesystem::weakly_canonical(*program_, error).string();
    if (error) return fail(Code::kInvalidRequest, format("'{}': {}", visible_label(*program_), error.message()), "--with");
    return {};
  }

  Status take_path() {
    if (!path_ || path_->empty())
      return fail(Code::kInvalidRequest,
                  source_.kind == sync::Kind::kProgram ? "name a file or folder that the program may read with --path"
                                                       : "name the folder with --path",
                  "--path");
    std::error_code error;
    source_.address = std::filesystem::weakly_canonical(*path_, error).string();
    if (error) return fail(Code::kInvalidRequest, format("'{}': {}", visible_label(*path_), error.message()), "--path");
    return {};
  }

  // The store changes with every run, so a folder that contains it would be read again all the time.
  Status check_store_is_outside(const std::string& location) const {
    std::error_code error;
    const std::filesystem::path store = std::filesystem::weakly_canonical(location, error);
    const std::filesystem::path inside = error ? "" : store.lexically_relative(source_.address);
    if (inside.empty() || inside.native().starts_with("..") || !std::filesystem::exists(store, error)) return {};
    return fail(Code::kInvalidRequest,
                format("'{}' contains the store of Ladder itself; add the folders in it that you want, one by one",
                       visible_label(source_.address)),
                "--path");
  }

  Status take_url() {
    const bool is_feed = source_.kind == sync::Kind::kFeed;
    if (!url_ || url_->empty())
      return fail(Code::kInvalidRequest, is_feed ? "name the address of the feed with --url" : "name the server with --url",
                  "--url");
    source_.address = *url_;
    return is_feed ? sync::check_feed_address(source_.address) : Status{};
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
    if (!sync::has_folders(source_.kind)) return std::string(source_.kind == sync::Kind::kFeed ? "read the feed; " : "");
    const std::string count = messages > 0 ? format("{} messages in ", grouped(messages)) : "";
    return format("{}{}{} of {} folders; ", sync::has_secret(source_.kind) ? "signed in, " : "", count, folders,
                  found.folders.size());
  }

  std::string kind_;
  sync::Source source_;
  std::optional<std::string> user_, path_, program_, url_, host_, port_, security_, ca_, every_, connection_;
  SecretFlags secret_;
  bool no_test_ = false;
};

}  // namespace

std::unique_ptr<Command> make_sync_add() { return std::make_unique<SyncAdd>(); }

}  // namespace ladder::cli
