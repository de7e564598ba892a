// Claude's data export: conversations with content blocks, pasted texts and tools; half of the projects in
// projects.json, the others in one file each.
#include "base/text/format.h"
#include "base/time/time.h"
#include "exports.h"
#include "json/writer.h"
#include "prose.h"

#include <fstream>
#include <string>
#include <string_view>

namespace demo {
namespace {

using ladder::format;
using ladder::json::Writer;

constexpr std::int64_t kDamagedEvery = 100, kProjects = 8;

class Maker {
 public:
  explicit Maker(const ExportRequest& request) : request_(request), dice_(request.seed) {}

  Expected write() {
    std::ofstream out(request_.folder / "conversations.json", std::ios::binary);
    out << "\xEF\xBB\xBF[";
    for (std::int64_t written = 0; number_ < request_.count || written < request_.bytes; ++number_) {
      std::string text = conversation();
      const bool damaged = request_.damaged && number_ % kDamagedEvery == kDamagedEvery / 2;
      if (damaged) text = broken(std::move(text));
      ++expected_[damaged ? "lost" : "conversations"];
      if (!damaged) {
        expected_["messages"] += messages_;
        expected_["attachments"] += attachments_;
        expected_["blank"] += blanks_;
      }
      written += static_cast<std::int64_t>(text.size());
      out << (number_ == 0 ? "" : ",\r\n") << text;
    }
    out << "]\r\n";
    write_projects();
    std::ofstream(request_.folder / "users.json") << R"([{"uuid":"made-up","full_name":"Made Up"}])";
    return expected_;
  }

 private:
  std::string time() { return ladder::format_time((kFirstSecond + number_ * 5000 + clock_++ * 11) * ladder::kSecond); }

  void write_projects() {
    std::ofstream list(request_.folder / "projects.json", std::ios::binary);
    list << '[';
    std::filesystem::create_directories(request_.folder / "projects");
    for (std::int64_t i = 0; i < kProjects; ++i) {
      const std::string id = format("project-{}-{}", request_.seed, i);
      Writer out;
      out.begin_object().member("uuid", id).member("name", prose(dice_, 1)).member("description", prose(dice_, 2));
      out.member("is_private", i % 2 == 0).member("is_starter_project", false).member("prompt_template", prose(dice_, 4));
      out.member("created_at", time()).member("updated_at", time());
      out.key("creator").begin_object().member("uuid", "made-up").member("full_name", dice_.pick(kPeople)).end_object();
      out.key("docs").begin_array();
      for (std::int64_t doc = 0; doc < i; ++doc) {
        out.begin_object()
            .member("uuid", format("{}-doc-{}", id, doc))
            .member("filename", format("{} {}.md", dice_.pick(kEmoji), doc));
        out.member("content", prose(dice_, 20)).member("created_at", time()).end_object();
      }
      out.end_array().end_object();
      expected_["project_docs"] += i;
      ++expected_["projects"];
      if (i < kProjects / 2) list << (i == 0 ? "" : ",") << out.take();
      else std::ofstream(request_.folder / "projects" / (id + ".json"), std::ios::binary) << out.take();
    }
    list << ']';
  }

  void attachment(Writer& out, std::string_view name, std::string_view text) {
    out.begin_object().member("file_name", name).member("file_size", text.size()).member("file_type", "txt");
    out.member("extracted_content", text).end_object();
    ++attachments_;
  }

  void question(Writer& out, const std::string& id, bool is_large) {
    const bool pasted = is_large || dice_.below(6) == 0;
    const std::string text = pasted ? std::string() : prose(dice_, 2);
    out.begin_object().member("uuid", id).member("text", dice_.below(3) == 0 ? "" : text).key("content").begin_array();
    if (!text.empty()) out.begin_object().member("type", "text").member("text", text).key("citations").raw("[]").end_object();
    out.end_array().member("sender", "human").member("created_at", time()).key("attachments").begin_array();
    if (pasted) {
      std::string paste = prose(dice_, 60);
      while (is_large && static_cast<std::int64_t>(paste.size()) < request_.large_bytes) paste += prose(dice_, 60);
      attachment(out, dice_.below(2) == 0 ? "" : "notes 🗺️.txt", paste);
    }
    out.end_array().key("files").begin_array();
    if (dice_.below(9) == 0) {
      out.begin_object().member("file_name", "photo.png").end_object();
      ++attachments_;
    }
    out.end_array().end_object();
    ++messages_;
  }

  void answer(Writer& out, const std::string& id) {
    out.begin_object().member("uuid", id).member("text", "").key("content").begin_array();
    if (dice_.below(3) == 0) out.begin_object().member("type", "thinking").member("thinking", prose(dice_, 2)).end_object();
    if (dice_.below(5) == 0) {
      out.begin_object().member("type", "tool_use").member("name", "artifacts").key("input").begin_object();
      out.member("title", prose(dice_, 1)).member("content", prose(dice_, 9)).key("version").raw("9007199254740993").end_object();
      out.end_object().begin_object().member("type", "tool_result").member("name", "artifacts").key("content").begin_array();
      out.begin_object().member("type", "text").member("text", "OK").end_object().end_array().end_object();
    }
    if (dice_.below(20) == 0) out.raw(R"({"type":"not_invented_yet","weight":0.10,"id":18446744073709551615})");
    out.begin_object().member("type", "text").member("text", prose(dice_, 3 + dice_.below(12))).end_object();
    out.end_array()
        .member("sender", "assistant")
        .member("created_at", time())
        .key("attachments")
        .raw("[]")
        .key("files")
        .raw("[]");
    out.end_object();
    ++messages_;
  }

  std::string conversation() {
    const std::string id = format("{:08x}-1111-4000-8000-{:012x}", number_, request_.seed);
    clock_ = messages_ = attachments_ = blanks_ = 0;
    Writer out;
    out.begin_object().member("uuid", id).member("name", number_ % 11 == 0 ? "" : prose(dice_, 1));
    out.member("summary", number_ % 7 == 0 ? prose(dice_, 80) : "").member("created_at", time()).member("updated_at", time());
    out.key("account").raw(R"({"uuid":"made-up"})").key("chat_messages").begin_array();
    const std::size_t turns = 1 + dice_.below(5);
    for (std::size_t turn = 0; turn < turns; ++turn) {
      question(out, format("{}-q{}", id, turn), request_.large_bytes > 0 && number_ == 0 && turn == 0);
      answer(out, format("{}-a{}", id, turn));
    }
    if (number_ % 13 == 0) {  // a question whose response was stopped
      out.raw(format(R"({{"uuid":"{}-stopped","text":"","content":[],"sender":"assistant","attachments":[],"files":[]}})", id));
      ++blanks_;
    }
    out.end_array().end_object();
    return out.take();
  }

  const ExportRequest& request_;
  Dice dice_;
  Expected expected_{{"conversations", 0}, {"messages", 0}, {"attachments", 0}, {"projects", 0},
                     {"project_docs", 0},  {"blank", 0},    {"lost", 0}};
  std::int64_t number_ = 0, clock_ = 0, messages_ = 0, attachments_ = 0, blanks_ = 0;
};

}  // namespace

Expected write_claude_export(const ExportRequest& request) { return Maker(request).write(); }

}  // namespace demo
