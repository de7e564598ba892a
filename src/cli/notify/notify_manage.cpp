// ladder notify list, test and remove.
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "json/writer.h"
#include "notify/delivery.h"

namespace ladder::cli {
namespace {

std::string events_of(const notify::Channel& channel) {
  std::string all;
  for (const notify::Event event : channel.events) all += (all.empty() ? "" : ", ") + std::string(notify::info(event).word);
  return channel.events.size() == notify::kEvents.size() ? "all" : all.empty() ? "none" : all;
}

std::string state_of(const notify::ChannelStatus& status) {
  return status.failures > 0 ? "failing" : status.sent_at > 0 ? "ok" : "new";
}

class NotifyList final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.example("ladder notify list"); }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    notify::NotifyStore& store = session->notify_store();
    LADDER_TRY(const auto channels, store.list(owner));
    LADDER_TRY(const auto waiting, store.waiting(owner));
    json::Writer out;
    out.begin_object().member("waiting", std::ssize(waiting)).key("channels").begin_array();
    std::vector<std::vector<std::string>> rows = {{"NAME", "KIND", "STATE", "LAST SENT", "EVENTS", "TARGET"}};
    std::string problems;
    for (const notify::Channel& channel : channels) {
      LADDER_TRY(const notify::ChannelStatus status, store.status(owner, channel.name));
      write(out, channel, status);
      rows.push_back({channel.name, std::string(notify::word_for(channel.kind)), state_of(status),
                      status.sent_at > 0 ? format_time(status.sent_at) : "never", events_of(channel),
                      visible_label(channel.shown_target())});
      if (status.failures > 0) problems += format("{}: {}\n", channel.name, visible_label(status.error));
    }
    out.end_array().end_object();
    if (context.console.json()) context.console.out(out.take() + "\n");
    else if (channels.empty())
      context.console.out("There is no channel yet; `ladder notify add email|ntfy|webhook NAME` adds one.\n");
    else context.console.out(table_or_lines(context.console, rows) + problems);
    return kDone;
  }

 private:
  static void write(json::Writer& out, const notify::Channel& channel, const notify::ChannelStatus& status) {
    out.begin_object().member("name", channel.name).member("kind", notify::word_for(channel.kind));
    out.member("state", state_of(status)).member("target", channel.shown_target()).key("events").begin_array();
    for (const notify::Event event : channel.events) out.string(notify::info(event).word);
    out.end_array();
    if (status.sent_at > 0) out.member("sent_at", format_time(status.sent_at));
    if (status.failed_at > 0) out.member("failed_at", format_time(status.failed_at));
    out.member("failures", status.failures).member("lost", status.lost).optional_member("error_code", status.error_code);
    out.optional_member("error", status.error).end_object();
  }
};

class NotifyTest final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("NAME", name_, "the channel");
    arguments.example("ladder notify test phone");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    notify::NotifyStore& store = session->notify_store();
    LADDER_TRY(const notify::Channel channel, store.find(owner, name_));
    LADDER_TRY(const std::string secret, store.secret(owner, channel));
    const std::string base = context.environment("LADDER_PUBLIC_URL").value_or(kLocalUrl);
    const notify::Delivery delivery = notify::deliver(channel, secret, store.test_notice(), base, store.now(), {});
    LADDER_CHECK(store.note(owner, name_, delivery, false));
    if (delivery.outcome != notify::Outcome::kSent) return std::unexpected(delivery.error);
    context.console.err(format("A test was sent to {}\n", visible_label(channel.shown_target())));
    return kDone;
  }

 private:
  static constexpr const char* kLocalUrl = "http://localhost:7663";
  std::string name_;
};

class NotifyRemove final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("NAME", name_, "the channel");
    arguments.example("ladder notify remove phone");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    LADDER_CHECK(session->notify_store().remove(owner, name_));
    context.console.err(format("{} is removed, with its password\n", name_));
    return kDone;
  }

 private:
  std::string name_;
};

}  // namespace

std::unique_ptr<Command> make_notify_list() { return std::make_unique<NotifyList>(); }
std::unique_ptr<Command> make_notify_test() { return std::make_unique<NotifyTest>(); }
std::unique_ptr<Command> make_notify_remove() { return std::make_unique<NotifyRemove>(); }

}  // namespace ladder::cli
