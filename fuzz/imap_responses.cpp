// A mail server that sends anything. The first line is the text that answers every command of the client, with TAG for its tag,
// or empty; the rest is the bytes of the connection. The responses do not depend on how the bytes are cut, values lie inside
// their response, and the client ends with a result or an error and sends nothing that could change a mailbox.
#include "sync/imap/client.h"

#include "base/text/utf8.h"
#include "frame.h"
#include "sync/imap/mailbox_name.h"

#include <array>
#include <string>
#include <vector>

namespace ladder::fuzz {
namespace {

using namespace sync::imap;  // NOLINT(google-build-using-namespace): the parts that are tested

std::vector<std::string> split(std::string_view bytes, Chance* cuts) {
  ResponseSplitter splitter;
  std::vector<std::string> all;
  while (!bytes.empty()) {
    splitter.buffer() += take_piece(bytes, cuts);
    for (std::string_view one;;) {
      const auto complete = splitter.next(one);
      if (!complete) {
        all.emplace_back("refused");
        return all;
      }
      if (!*complete) break;
      all.emplace_back(one);
    }
  }
  return all;
}

void check_inside(const std::vector<Value>& values, std::string_view bytes) {
  for (const Value& value : values) {
    check_inside(value.items, bytes);
    if (!value.raw.empty())
      FUZZ_CHECK(value.raw.data() >= bytes.data() && value.raw.data() + value.raw.size() <= bytes.data() + bytes.size());
    FUZZ_CHECK(value.text().size() <= value.raw.size());
  }
}

void check_names(std::string_view text) {
  const std::string name = decode_mailbox_name(text);
  FUZZ_CHECK(utf8::is_valid(name));
  FUZZ_CHECK(decode_mailbox_name(encode_mailbox_name(name)) == name);
  if (const auto set = UidSet::parse(text)) {
    const auto again = UidSet::parse(set->text());
    FUZZ_CHECK(again && again->text() == set->text() && again->count() == set->count());
  }
}

void check_response(const std::string& whole) {
  const Exact exact(whole);
  const auto response = parse_response(exact.view());
  if (!response) return;
  check_inside(response->values, exact.view());
  for (const Value& value : response->values) check_names(value.raw);
  if (const auto fetched = read_fetch(*response)) FUZZ_CHECK(fetched->uid > 0);
}

class HostileStream final : public http::Stream {
 public:
  HostileStream(std::string_view answer, std::string_view bytes, Chance& cuts) : answer_(answer), bytes_(bytes), cuts_(cuts) {}

  std::expected<void, http::ClientError> connect(const http::WaitLimit&, std::optional<http::AddressScope>) override {
    return {};
  }
  std::expected<void, http::ClientError> start_tls(const http::WaitLimit&, const std::string&) override { return {}; }
  std::expected<void, http::ClientError> write(const http::WaitLimit&, std::string_view line) override {
    FUZZ_CHECK(line.ends_with("\r\n"));
    FUZZ_CHECK(line.find('\n') == line.size() - 1);
    constexpr std::array<std::string_view, 7> kWriting = {" SELECT ", " STORE ", " APPEND ", " EXPUNGE",
                                                          " DELETE ", " MOVE ",  " COPY "};
    const std::string_view command = line.substr(0, line.find('"'));  // a mailbox may have any name
    for (const std::string_view word : kWriting) FUZZ_CHECK(command.find(word) == std::string_view::npos);
    const std::size_t at = answer_.find("TAG");
    if (answer_.empty() || ++answers_ > 50) return {};
    const std::string tag(line.substr(0, line.find(' ')));
    pending_ += at == std::string_view::npos ? std::string(answer_)
                                             : std::string(answer_.substr(0, at)) + tag + std::string(answer_.substr(at + 3));
    pending_ += "\r\n";
    return {};
  }
  std::expected<void, http::ClientError> read(const http::WaitLimit&, std::string& into) override {
    if (bytes_.empty() && pending_.empty()) return std::unexpected(http::ClientError{http::ClientFault::kUnreachable, "closed"});
    if (!bytes_.empty()) into += take_piece(bytes_, &cuts_);
    else into += std::exchange(pending_, {});
    return {};
  }
  std::expected<bool, http::ClientError> poll(const http::WaitLimit& limit, std::string& into) override {
    if (bytes_.empty() && pending_.empty()) return false;
    if (const auto done = read(limit, into); !done) return std::unexpected(done.error());
    return true;
  }
  http::AddressScope scope() const override { return http::AddressScope::kLoopback; }

 private:
  std::string_view answer_, bytes_;
  Chance& cuts_;
  std::string pending_;
  int answers_ = 0;
};

void drive_client(std::string_view answer, std::string_view bytes) {
  Chance cuts(bytes);
  auto client = Client::open(std::make_unique<HostileStream>(answer, bytes, cuts), {"mail.example", 143, Security::kPlain},
                             {"ann", "secret"}, {});
  if (!client) return;
  const TakeFetched ignore = [](const Fetched&) { return Status{}; };
  const auto mailboxes = (*client)->list();
  if (!mailboxes) return;
  const KnownState known{1, 1};
  for (const Mailbox& mailbox : *mailboxes) {
    if (!(*client)->examine(mailbox.wire_name, &known, ignore)) return;
  }
  if (!(*client)->search_all() || !(*client)->fetch_sizes(1, ignore) ||
      !(*client)->fetch_messages(UidSet::parse("1:9").value(), ignore))
    return;
  static_cast<void>((*client)->idle(std::chrono::steady_clock::now()));
}

}  // namespace

void run(std::string_view input) {
  const std::string_view answer = take_line(input);
  Chance cuts(input);
  const auto whole = split(input, nullptr);
  FUZZ_CHECK(split(input, &cuts) == whole);
  for (const std::string& one : whole) check_response(one);
  drive_client(answer, input);
}

}  // namespace ladder::fuzz
