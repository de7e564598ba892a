// A Slack workspace's export: users, channels of which two share a name, a direct conversation, threads, reactions,
// files with access tokens, app messages in blocks.
#include "base/text/format.h"
#include "base/time/time.h"
#include "exports.h"
#include "json/writer.h"
#include "prose.h"

#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace demo {
namespace {

using ladder::format;
using ladder::json::Writer;

constexpr std::int64_t kDamagedEvery = 100, kSecondsBetween = 1237;

std::string user_id(std::size_t number) { return format("U{:04}", number); }

class Maker {
 public:
  explicit Maker(const ExportRequest& request) : request_(request), dice_(request.seed) {}

  Expected write() {
    write_users();
    write_channels();
    write_messages();
    std::ofstream(request_.folder / "integration_logs.json") << "[]";
    return expected_;
  }

 private:
  void write_users() {
    Writer out;
    out.begin_array();
    for (std::size_t i = 0; i < kPeople.size(); ++i) {
      out.begin_object()
          .member("id", user_id(i))
          .member("team_id", format("T{:04}", request_.seed))
          .member("name", format("user{}", i));
      out.member("deleted", i == 3).member("is_bot", false).member("tz", "Europe/Lisbon").member("updated", kFirstSecond);
      out.key("profile")
          .begin_object()
          .member("real_name", kPeople[i])
          .member("display_name", i % 3 == 0 ? "" : format("{} {}", kPeople[i], kEmoji[i]));
      out.member("email", format("user{}@example.org", i)).end_object().end_object();
      ++expected_["users"];
    }
    std::ofstream(request_.folder / "users.json", std::ios::binary) << out.end_array().text();
  }

  void channel(Writer& out, std::string_view id, std::string_view name, std::int64_t created) {
    out.begin_object().member("id", id);
    if (!name.empty()) out.member("name", name).member("creator", user_id(0)).member("is_archived", false);
    out.member("created", created).key("members").begin_array();
    for (std::size_t i = 0; i < (name.empty() ? 2 : kPeople.size()); ++i) out.string(user_id(i));
    out.end_array();
    if (!name.empty()) out.key("topic").begin_object().member("value", "tides &amp; <@U0001>").end_object();
    out.end_object();
    ++expected_["channels"];
  }

  void write_channels() {
    Writer out;
    out.begin_array();
    for (std::size_t i = 0; i < kRooms.size(); ++i) channel(out, format("C{:04}", i), kRooms[i], kFirstSecond - 1000);
    channel(out, "C9999", kRooms[0], kFirstSecond * 2);  // renamed to another channel's name
    std::ofstream(request_.folder / "channels.json", std::ios::binary) << out.end_array().text();
    Writer direct;
    direct.begin_array();
    channel(direct, "D0001", "", kFirstSecond - 1000);
    std::ofstream(request_.folder / "dms.json", std::ios::binary) << direct.end_array().text();
  }

  std::string message(std::int64_t number) {
    const std::string ts = format("{}.{:06}", kFirstSecond + number * kSecondsBetween, number % 1'000'000);
    Writer out;
    out.begin_object().member("type", "message");
    const std::size_t kind = dice_.below(20);
    if (kind == 0) {
      out.member("subtype", "bot_message").member("bot_id", "B0001").member("username", "deploy").member("text", "");
      out.key("blocks")
          .begin_array()
          .begin_object()
          .member("type", "section")
          .key("text")
          .begin_object()
          .member("type", "mrkdwn");
      out.member("text", "built for <@U0002>: " + prose(dice_, 1)).end_object().end_object().end_array();
    } else {
      const bool is_large = request_.large_bytes > 0 && number == 0;
      std::string text =
          prose(dice_, 1 + dice_.below(3)) + "<@U0001> in <#C0002|old-name>: <https://example.org/?a=1&amp;b=2|a page> 1 &lt; 2";
      while (is_large && static_cast<std::int64_t>(text.size()) < request_.large_bytes) text += prose(dice_, 20);
      out.member("user", user_id(dice_.below(kPeople.size()))).member("text", text);
    }
    out.member("ts", ts).member("client_msg_id", format("{:032x}", dice_.next()));
    if (kind == 1 || kind == 2) out.member("thread_ts", number > 9 ? last_ts_ : ts);
    if (kind == 1) out.member("reply_count", 3);
    if (kind == 3) out.key("edited").begin_object().member("user", "U0001").member("ts", ts).end_object();
    if (kind == 4 || kind == 5) {
      out.key("reactions")
          .begin_array()
          .begin_object()
          .member("name", "tada")
          .key("users")
          .raw(R"(["U0001","U7777"])")
          .member("count", 3);
      out.end_object().end_array();
    }
    if (kind == 6) {
      out.key("files")
          .begin_array()
          .begin_object()
          .member("id", "F0001")
          .member("name", "tides 🌊.pdf")
          .member("mimetype", "application/pdf");
      out.key("size")
          .raw("9007199254740993")
          .member("url_private", "https://files.example.org/F0001/tides.pdf?t=xoxe-made-up")
          .end_object()
          .end_array();
    }
    last_ts_ = ts;
    return out.end_object().take();
  }

  void write_messages() {
    std::map<std::string, std::ofstream> days;  // only one day's files are open at a time
    std::string today;
    const auto close = [&] {
      for (auto& [path, out] : days) out << "\n]";
      days.clear();
    };
    std::int64_t written = 0;
    for (std::int64_t number = 0; number < request_.count || written < request_.bytes; ++number) {
      const std::string day = ladder::format_time((kFirstSecond + number * kSecondsBetween) * ladder::kSecond).substr(0, 10);
      if (day != today) close();
      today = day;
      const std::string room(number % 19 == 0   ? std::string_view("D0001")
                             : number % 23 == 0 ? std::string_view("not listed")
                                                : dice_.pick(kRooms));
      if (room == "not listed" && expected_["unlisted"]++ == 0) ++expected_["channels"];
      std::filesystem::create_directories(request_.folder / room);
      auto& out = days[room];
      const bool first = !out.is_open();
      if (first) out.open(request_.folder / room / (day + ".json"), std::ios::binary);
      std::string text = message(number);
      const bool damaged = request_.damaged && number % kDamagedEvery == kDamagedEvery / 2;
      if (damaged) text = broken(std::move(text));
      ++expected_[damaged ? "lost" : "messages"];
      written += static_cast<std::int64_t>(text.size());
      out << (first ? "[\n    " : ",\n    ") << text;
    }
    close();
  }

  const ExportRequest& request_;
  Dice dice_;
  Expected expected_{{"users", 0}, {"channels", 0}, {"messages", 0}, {"unlisted", 0}, {"lost", 0}};
  std::string last_ts_;
};

}  // namespace

Expected write_slack_export(const ExportRequest& request) { return Maker(request).write(); }

}  // namespace demo
