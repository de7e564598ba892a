#include "sync/imap/client.h"

#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "sync/imap/mailbox_name.h"

#include <algorithm>
#include <chrono>

namespace ladder::sync::imap {
namespace {

constexpr auto kConnectTime = std::chrono::seconds(30);
constexpr auto kSilence = std::chrono::seconds(120);  // servers take long to open large mailboxes
constexpr std::size_t kMaxMailboxes = 10'000;
constexpr std::size_t kShownText = 200;
constexpr std::size_t kMaxResponses = 10'000'000;        // to one command
constexpr std::size_t kMaxSearched = 5'000'000;          // ranges of message numbers in a folder
constexpr auto kMaxCommandTime = std::chrono::hours(6);  // the largest message takes that long at 8 KB/s

std::string shown(std::string_view text) { return visible_label(text.substr(0, kShownText)); }

std::unexpected<Error> invalid(std::string_view what) { return fail(Code::kRsProtocol, format("the mail server sent {}", what)); }

std::set<std::string> lower_words(const Value& list) {
  std::set<std::string> words;
  for (const Value& item : list.items) {
    std::string word = item.text();
    std::ranges::transform(word, word.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    words.insert(std::move(word));
  }
  return words;
}

void read_status_items(const Value& list, MailboxStatus& into) {
  for (std::size_t i = 0; i + 1 < list.items.size(); i += 2) {
    const std::uint64_t number = list.items[i + 1].number().value_or(0);
    if (list.items[i].is_atom("MESSAGES")) into.messages = number;
    if (list.items[i].is_atom("UIDNEXT")) into.uid_next = number;
    if (list.items[i].is_atom("UIDVALIDITY")) into.uid_validity = static_cast<std::uint32_t>(number);
    if (list.items[i].is_atom("HIGHESTMODSEQ")) into.modseq = number;
  }
}

std::string_view scheme_of(Security security) { return security == Security::kTls ? "imaps" : "imap"; }

}  // namespace

Error error_of(const http::ClientError& error, const Server& server) {
  switch (error.fault) {
    case http::ClientFault::kCancelled:
      return {Code::kCancelled, "stopped"};
    case http::ClientFault::kTimeout:
      return {Code::kRsTimeout, error.message};
    case http::ClientFault::kForbidden:
      return {Code::kInvalidRequest,
              format("{}:{} is not on this computer, so it needs encryption: use --security tls or starttls", server.host,
                     server.port),
              "security"};
    case http::ClientFault::kCertificate:
      return {Code::kRsUnreachable,
              format("{}; check the host name, or name the certificate of your own authority with --ca FILE", error.message)};
    default:
      return {Code::kRsUnreachable, error.message};
  }
}

Result<std::unique_ptr<Client>> Client::open(const Server& server, const Credentials& credentials, std::stop_token stop) {
  const std::string port = std::to_string(server.port);
  auto stream = http::Stream::create({server.host, port, format("{}://{}:{}", scheme_of(server.security), server.host, port)});
  const http::WaitLimit limit{std::chrono::steady_clock::now() + kConnectTime, stop};
  if (const auto connected = stream->connect(limit, std::nullopt); !connected)
    return std::unexpected(error_of(connected.error(), server));
  return open(std::move(stream), server, credentials, std::move(stop));
}

Result<std::unique_ptr<Client>> Client::open(std::unique_ptr<http::Stream> stream, const Server& server,
                                             const Credentials& credentials, std::stop_token stop) {
  const bool is_local = stream->scope() == http::AddressScope::kLoopback;
  if (server.security == Security::kPlain && !is_local)
    return std::unexpected(error_of({http::ClientFault::kForbidden, ""}, server));
  std::unique_ptr<Client> client(new Client(std::move(stream), server, std::move(stop)));
  LADDER_CHECK(client->greet(credentials));
  return client;
}

http::WaitLimit Client::wait_limit() const { return {std::chrono::steady_clock::now() + kSilence, stop_}; }

Status Client::write(std::string_view bytes) {
  if (const auto sent = stream_->write(wait_limit(), bytes); !sent) return std::unexpected(error_of(sent.error(), server_));
  return {};
}

Status Client::encrypt() {
  // Bytes that arrived before the handshake could be a forged response.
  if (!splitter_.is_empty()) return invalid("data before the encryption began");
  const http::WaitLimit limit{std::chrono::steady_clock::now() + kConnectTime, stop_};
  if (const auto done = stream_->start_tls(limit, server_.ca_file); !done)
    return std::unexpected(error_of(done.error(), server_));
  return {};
}

Status Client::greet(const Credentials& credentials) {
  if (server_.security == Security::kTls) LADDER_CHECK(encrypt());
  LADDER_TRY(const Response greeting, next_response());
  if (greeting.kind != Response::Kind::kStatus) return invalid("no greeting");
  if (greeting.condition == Response::Condition::kPreauth && server_.security == Security::kStartTls)
    return invalid("a greeting that skips the encryption");
  LADDER_CHECK(note(greeting));
  if (server_.security == Security::kStartTls) {
    LADDER_CHECK(run(Command::start_tls(), {}));
    LADDER_CHECK(encrypt());
    has_capabilities_ = false;
  }
  if (!has_capabilities_) LADDER_CHECK(update_capabilities());
  if (greeting.condition != Response::Condition::kPreauth) LADDER_CHECK(sign_in(credentials));
  if (!has_capabilities_) LADDER_CHECK(update_capabilities());
  return enable();
}

Status Client::update_capabilities() { return run(Command::capability(), {}); }

// Some servers answer OK without enabling it, so only ENABLED counts.
Status Client::enable() {
  if (!has("ENABLE") || !has("QRESYNC")) return {};
  return run(Command::enable_qresync(), [this](const Response& response) -> Status {
    if (response.name == "ENABLED") {
      for (const Value& word : response.values) qresync_ = qresync_ || word.is_atom("QRESYNC");
    }
    return {};
  });
}

Result<std::string> Client::send(const Command& command) {
  std::string tag = format("L{}", ++commands_);
  LADDER_CHECK(write(format("{} {}\r\n", tag, command.text())));
  return tag;
}

Result<Response> Client::next_response() {
  for (std::string_view bytes;;) {
    LADDER_TRY(const bool complete, splitter_.next(bytes));
    if (complete) return parse_response(bytes);
    if (const auto read = stream_->read(wait_limit(), splitter_.buffer()); !read)
      return std::unexpected(error_of(read.error(), server_));
  }
}

void Client::read_capabilities(std::string_view words) {
  capabilities_.clear();
  has_capabilities_ = true;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (end > 0) capabilities_.insert(upper_case(words.substr(0, end)));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

// Takes what a server may send at any time.
Status Client::note(const Response& response) {
  if (response.code == "CAPABILITY") read_capabilities(response.code_argument);
  if (response.kind == Response::Kind::kData && response.name == "CAPABILITY") {
    capabilities_.clear();
    has_capabilities_ = true;
    for (const Value& word : response.values) capabilities_.insert(upper_case(word.raw));
  }
  if (response.condition == Response::Condition::kBye && response.kind == Response::Kind::kStatus)
    return fail(Code::kRsUnreachable, format("the mail server ended the connection: {}", shown(response.text)));
  return {};
}

Status Client::finish(const Command& command, const Response& response) const {
  if (response.condition == Response::Condition::kOk) return {};
  const std::string_view name = std::string_view(command.text()).substr(0, command.text().find(' '));
  if (name == "EXAMINE" && response.condition == Response::Condition::kNo)
    return fail(Code::kNotFound, format("the mail server does not open a folder: {}", shown(response.text)));
  if (command.is_secret())
    return fail(Code::kAuthentication,
                format("the mail server {} rejected the sign-in of this account{}; check the user name and "
                       "the password, and create an app password if the provider offers them",
                       server_.host, response.code.empty() ? "" : format(" ({})", shown(response.code))),
                "password");
  return fail(Code::kRsProtocol, format("the mail server rejected {}: {}", name, shown(response.text)));
}

// A refusal with another code, such as UNAVAILABLE or THROTTLED, has nothing to do with what was asked for.
static bool may_be_about_a_message(const Response& response) {
  return response.condition == Response::Condition::kNo && (response.code.empty() || response.code == "CORRUPTION" ||
                                                            response.code == "SERVERBUG" || response.code == "EXPUNGEISSUED");
}

Status Client::run(const Command& command, const TakeData& take, bool* was_refused) {
  LADDER_TRY(const std::string tag, send(command));
  const auto deadline = std::chrono::steady_clock::now() + kMaxCommandTime;
  for (std::size_t responses = 0;; ++responses) {
    // A server that sends a little from time to time is never silent.
    if (std::chrono::steady_clock::now() > deadline)
      return fail(Code::kRsTimeout, "the mail server did not end a command in time");
    if (responses > kMaxResponses) return invalid("too many responses to a command");
    LADDER_TRY(const Response response, next_response());
    if (command.is_secret() && response.kind == Response::Kind::kStatus && response.condition == Response::Condition::kBye)
      return finish(command, response);
    LADDER_CHECK(note(response));
    if (response.kind == Response::Kind::kTagged) {
      if (response.tag != tag) return invalid("the result of another command");
      if (was_refused != nullptr && may_be_about_a_message(response)) {
        *was_refused = true;
        return {};
      }
      return finish(command, response);
    }
    if (response.kind == Response::Kind::kContinuation) return invalid("an unexpected question");
    if (take) LADDER_CHECK(take(response));
  }
}

Result<std::vector<Mailbox>> Client::list() {
  const bool with_status = has("LIST-STATUS");
  std::vector<Mailbox> mailboxes;
  const auto take = [&](const Response& response) -> Status {
    if (response.name == "LIST" && response.values.size() >= 3) {
      if (mailboxes.size() >= kMaxMailboxes) return invalid("too many mailboxes");
      const std::string wire_name = response.values[2].text();
      mailboxes.push_back({wire_name, decode_mailbox_name(wire_name), lower_words(response.values[0])});
    }
    if (response.name == "STATUS" && response.values.size() >= 2) {
      const std::string wire_name = response.values[0].text();
      const auto found = std::ranges::find(mailboxes, wire_name, &Mailbox::wire_name);
      if (found != mailboxes.end()) read_status_items(response.values[1], found->status.emplace());
    }
    return {};
  };
  LADDER_CHECK(run(Command::list(with_status, knows_changes()), take));
  return mailboxes;
}

Result<Opened> Client::examine(std::string_view wire_name, const KnownState* known, const TakeFetched& changed) {
  const bool resync = qresync_ && known && known->modseq > 0;
  Opened opened;
  opened.resynced = resync;
  const auto take = [&](const Response& response) -> Status {
    if (response.name == "EXISTS") opened.status.messages = response.number.value_or(0);
    const std::uint64_t argument = parse_number(response.code_argument).value_or(0);
    if (response.code == "UIDVALIDITY") opened.status.uid_validity = static_cast<std::uint32_t>(argument);
    if (response.code == "UIDNEXT") opened.status.uid_next = argument;
    if (response.code == "HIGHESTMODSEQ") opened.status.modseq = argument;
    if (response.name == "FETCH" && changed) {
      LADDER_TRY(const Fetched fetched, read_fetch(response));
      return changed(fetched);
    }
    if (response.name == "VANISHED" && !response.values.empty()) {
      LADDER_TRY(opened.vanished, UidSet::parse(response.values.back().raw));
    }
    return {};
  };
  LADDER_TRY(const Command command, Command::examine(wire_name, knows_changes(), resync ? known : nullptr));
  LADDER_CHECK(run(command, take));
  if (opened.status.uid_validity == 0) return invalid("no UIDVALIDITY for a mailbox");
  return opened;
}

namespace {

std::function<Status(const Response&)> fetched_only(const TakeFetched& take) {
  return [&take](const Response& response) -> Status {
    if (response.name != "FETCH") return {};
    LADDER_TRY(const Fetched fetched, read_fetch(response));
    return take(fetched);
  };
}

}  // namespace

Result<Fetched> read_fetch(const Response& response) {
  Fetched fetched;
  if (response.values.empty() || !response.values[0].is_list()) return invalid("an empty message");
  const std::vector<Value>& items = response.values[0].items;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    const Value& value = items[i + 1];
    const std::string name = upper_case(items[i].raw.substr(0, 32));
    if (name == "UID") fetched.uid = static_cast<Uid>(value.number().value_or(0) <= kMaxUid ? value.number().value_or(0) : 0);
    if (name == "FLAGS") fetched.flags = lower_words(value);
    if (name == "RFC822.SIZE") fetched.size = value.number();
    if (name == "MODSEQ" && value.items.size() == 1) fetched.modseq = value.items[0].number();
    if (name == "BODY[]" && value.kind != Value::Kind::kNil) fetched.body = value.raw;
    if (name == "X-GM-THRID") fetched.thread = value.raw;
    if (name == "X-GM-LABELS") {
      fetched.labels.emplace();
      for (const Value& label : value.items) fetched.labels->push_back(decode_mailbox_name(label.text()));
    }
  }
  if (fetched.uid == 0) return invalid("a message without a valid number");
  return fetched;
}

Status Client::fetch_sizes(Uid first, const TakeFetched& take) { return run(Command::fetch_sizes(first), fetched_only(take)); }

Status Client::fetch_flags(Uid last, std::uint64_t changed_since, const TakeFetched& take) {
  return run(Command::fetch_flags(last, changed_since), fetched_only(take));
}

Result<bool> Client::fetch_messages(const UidSet& uids, const TakeFetched& take) {
  bool was_refused = false;
  LADDER_CHECK(run(Command::fetch_messages(uids, is_gmail()), fetched_only(take), &was_refused));
  return !was_refused;
}

Result<UidSet> Client::search_all() {
  UidSet found;
  LADDER_CHECK(run(Command::search_all(has("ESEARCH")), [&](const Response& response) -> Status {
    if (response.name == "SEARCH") {
      for (const Value& value : response.values) {
        if (const auto uid = value.number(); uid && *uid > 0 && *uid <= kMaxUid) found.add(static_cast<Uid>(*uid));
      }
      if (found.range_count() > kMaxSearched) return invalid("too many messages");
    }
    if (response.name == "ESEARCH") {
      for (std::size_t i = 0; i + 1 < response.values.size(); ++i) {
        if (!response.values[i].is_atom("ALL")) continue;
        LADDER_TRY(found, UidSet::parse(response.values[i + 1].raw));
      }
    }
    return {};
  }));
  found.settle();
  return found;
}

Result<bool> Client::idle(std::chrono::steady_clock::time_point deadline) {
  LADDER_CHECK(send(Command::idle()));
  bool changed = false, accepted = false, ending = false;
  for (;;) {
    std::string_view bytes;
    LADDER_TRY(const bool complete, splitter_.next(bytes));
    if (complete) {
      LADDER_TRY(const Response response, parse_response(bytes));
      LADDER_CHECK(note(response));
      accepted = accepted || response.kind == Response::Kind::kContinuation;
      if (response.kind == Response::Kind::kTagged) {
        LADDER_CHECK(finish(Command::idle(), response));
        return changed;
      }
      changed = changed || response.name == "EXISTS" || response.name == "EXPUNGE" || response.name == "VANISHED" ||
                response.name == "FETCH";
    } else {
      const auto until = ending || !accepted ? wait_limit().deadline : deadline;
      const auto arrived = stream_->poll({until, stop_}, splitter_.buffer());
      if (!arrived) return std::unexpected(error_of(arrived.error(), server_));
      if (!*arrived && (ending || !accepted)) return fail(Code::kRsTimeout, "the mail server did not answer IDLE in time");
    }
    const bool over = changed || std::chrono::steady_clock::now() >= deadline;
    if (accepted && over && !ending) {
      ending = true;
      LADDER_CHECK(write(kDone));
    }
  }
}

Status Client::noop() { return run(Command::noop(), {}); }

void Client::log_out() {
  if (send(Command::logout())) static_cast<void>(next_response());
}

}  // namespace ladder::sync::imap
