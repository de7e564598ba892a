// ladder notify add: stores a channel for notifications.
#include "base/text/base64.h"
#include "base/text/format.h"
#include "base/text/number.h"
#include "base/text/visible_text.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "cli/terminal/input_file.h"
#include "cli/terminal/secret_input.h"
#include "crypto/random.h"
#include "json/writer.h"

#include <filesystem>

namespace ladder::cli {
namespace {

constexpr std::size_t kMaxFileBytes = 64 * 1024, kKeyBytes = 24;

std::string first_line(const std::string& text) { return text.substr(0, text.find_first_of("\r\n")); }

class NotifyAdd final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("KIND", kind_, "email, ntfy or webhook");
    arguments.word("NAME", channel_.name, "your name for the channel: small letters, digits, dots and dashes");
    arguments.value("--to", "ADDRESS", to_, "email: who gets the messages");
    arguments.value("--host", "HOST", host_, "email: the mail server (SMTP)");
    arguments.value("--port", "PORT", port_, "email: its port (default: 465; 587 with starttls, 25 with plain)");
    arguments.value("--security", "tls|starttls|plain", security_,
                    "email: the encryption (default: tls; plain only on this computer)");
    arguments.value("--user", "USER", user_, "email: the user name (default: no sign-in)");
    arguments.value("--from", "ADDRESS", from_, "email: the sender (default: the address of --to)");
    arguments.value("--url", "URL", url_, "ntfy: the server and the topic; webhook: where to post");
    arguments.value("--ca", "FILE", ca_, "PEM certificates to trust for this server (default: the system's)");
    arguments.value("--password-file", "FILE", file_,
                    "read the password, the access token or the webhook's key from the first line of this file");
    arguments.each_value(
        "--event", "EVENT",
        [this](const std::string& word) -> Status {
          LADDER_TRY(const notify::Event event, notify::event_named(word));
          channel_.events.insert(event);
          return {};
        },
        "send only this event; may be repeated (default: all)");
    static constexpr auto kFacts = [] {
      std::array<Arguments::Fact, notify::kEvents.size()> facts{};
      for (std::size_t i = 0; i < facts.size(); ++i) facts[i] = {notify::kEvents[i].word, notify::kEvents[i].label};
      return facts;
    }();
    arguments.facts("Events", kFacts);
    arguments.example("ladder notify add email mail --to ann@example.org --host smtp.example.org --user ann");
    arguments.example("ladder notify add ntfy phone --url https://ntfy.sh/ann-ladder-9f3c --event request --event sync-fails");
    arguments.example("ladder notify add webhook home --url https://home.example/hooks/ladder");
  }

  Result<int> run(Context& context) override {
    LADDER_CHECK(take_settings());
    LADDER_TRY(const auto session, Session::open_or_create(context.console, context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    LADDER_TRY(const std::string secret, read(context.console));
    LADDER_CHECK(session->notify_store().add(owner, channel_, secret));
    const bool shows_key = channel_.kind == notify::ChannelKind::kWebhook && !file_;
    if (context.console.json()) {
      json::Writer out;
      out.begin_object().member("name", channel_.name).member("kind", notify::word_for(channel_.kind));
      if (shows_key) out.member("key", secret);
      context.console.out(out.end_object().take() + "\n");
      return kDone;
    }
    if (shows_key) context.console.out(format("Key for the signatures, shown once: {}\n", secret));
    context.console.err(format("{0} is added; `ladder notify test {0}{1}` sends a test\n", channel_.name, context.store_flags()));
    return kDone;
  }

 private:
  Status take_settings() {
    LADDER_TRY(channel_.kind, notify::channel_kind(kind_));
    if (channel_.events.empty()) {
      for (const notify::EventInfo& event : notify::kEvents) channel_.events.insert(event.event);
    }
    const std::string ca = ca_ ? std::filesystem::absolute(*ca_).string() : "";
    const bool is_email = channel_.kind == notify::ChannelKind::kEmail;
    const bool has_email = to_ || host_ || port_ || security_ || user_ || from_;
    if (is_email && url_) return fail(Code::kInvalidRequest, "--url is for ntfy and webhook; use --host and --to", "--url");
    if (!is_email && has_email)
      return fail(Code::kInvalidRequest, format("{} needs only --url; the other flags are for email", kind_), "--url");
    if (!is_email) {
      if (!url_) return fail(Code::kInvalidRequest, format("{} needs --url", kind_), "--url");
      channel_.url = *url_;
      channel_.ca_file = ca;
      return {};
    }
    if (!to_ || !host_) return fail(Code::kInvalidRequest, "email needs --to and --host", "--to");
    LADDER_TRY(channel_.server.security, notify::security_named(security_.value_or("tls")));
    const bool is_tls = channel_.server.security == notify::Security::kTls;
    channel_.server.port = is_tls ? 465 : channel_.server.security == notify::Security::kStartTls ? 587 : 25;
    if (port_) {
      const auto port = parse_number<std::uint16_t>(*port_);
      if (!port || *port == 0) return fail(Code::kInvalidRequest, "--port must be a number from 1 to 65535", "--port");
      channel_.server.port = *port;
    }
    channel_.server.host = *host_;
    channel_.server.ca_file = ca;
    channel_.user = user_.value_or("");
    channel_.to = *to_;
    channel_.from = from_.value_or(*to_);
    return {};
  }

  // A mail server with a user name needs a password. An access token of ntfy is optional, and a webhook gets a new key.
  Result<std::string> read(Console& console) const {
    if (file_) {
      LADDER_TRY(const std::string text, read_whole_file(*file_, kMaxFileBytes));
      return first_line(text);
    }
    if (channel_.kind == notify::ChannelKind::kWebhook) return base64url::encode(crypto::random_bytes(kKeyBytes));
    if (channel_.kind == notify::ChannelKind::kNtfy || channel_.user.empty()) return std::string();
    return first_line(read_secret(console, format("Password of {} at {}: ", visible_label(channel_.user), channel_.server.host)));
  }

  std::string kind_;
  notify::Channel channel_;
  std::optional<std::string> to_, host_, port_, security_, user_, from_, url_, ca_, file_;
};

}  // namespace

std::unique_ptr<Command> make_notify_add() { return std::make_unique<NotifyAdd>(); }

}  // namespace ladder::cli
