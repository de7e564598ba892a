// ChatGPT's data export: trees of messages with branches, tools, images and the defects of real exports. Written in
// three parts if small, in one large file if a size is requested.
#include "base/text/format.h"
#include "exports.h"
#include "json/writer.h"
#include "prose.h"

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace demo {
namespace {

using ladder::format;
using ladder::json::Writer;

constexpr std::int64_t kDamagedEvery = 100;
constexpr std::size_t kParagraphs = 512;

class Maker {
 public:
  explicit Maker(const ExportRequest& request) : request_(request), dice_(request.seed) {
    for (std::size_t i = 0; i < kParagraphs; ++i) paragraphs_.push_back(prose(dice_, 2 + dice_.below(10)));
  }

  Expected write() {
    const bool large = request_.bytes > 0;
    constexpr int kParts = 3;
    std::int64_t written = 0;
    for (int part = 0; part < (large ? 1 : kParts); ++part) {
      std::ofstream out(request_.folder / (large ? "conversations.json" : format("conversations-{:03}.json", part)),
                        std::ios::binary);
      out << '[';
      const std::int64_t until = large ? request_.count : request_.count * (part + 1) / kParts;
      for (bool first = true; number_ < until || (large && written < request_.bytes); first = false, ++number_) {
        std::string text = conversation();
        const bool damaged = request_.damaged && number_ % kDamagedEvery == kDamagedEvery / 2;
        if (damaged) text = broken(std::move(text));
        ++expected_[damaged ? "lost" : "conversations"];
        if (!damaged) {
          expected_["messages"] += messages_;
          expected_["blank"] += blanks_;
        }
        out << (first ? "" : ", ") << text;
        written += static_cast<std::int64_t>(text.size());
      }
      out << ']';
    }
    std::ofstream(request_.folder / "user.json") << R"({"id":"user-made-up","email":"owner@example.org"})";
    std::ofstream(request_.folder / "chat.html") << "<html><body>made up</body></html>";
    return expected_;
  }

 private:
  std::string time() { return format("{}.{:06}", kFirstSecond + number_ * 5000 + clock_++ * 7, dice_.below(1'000'000)); }

  // Writes a tree node; an empty content writes one without a message.
  void node(Writer& out, const std::string& id, const std::string& parent, std::string_view role, std::string_view content,
            std::string_view name = "") {
    out.key(id).begin_object().member("id", id).key("message");
    if (content.empty()) {
      out.null();
    } else {
      out.begin_object().member("id", id).key("author").begin_object().member("role", role).key("name");
      if (name.empty()) out.null();
      else out.string(name);
      out.key("metadata").raw("{}").end_object().key("create_time");
      if (role == "system" || dice_.below(9) == 0) out.null();
      else out.raw(time());
      out.key("update_time")
          .null()
          .key("content")
          .raw(content)
          .member("status", "finished_successfully")
          .member("end_turn", true);
      out.key("metadata")
          .raw(is_large() ? metadata(id, role) : R"({"model_slug":"made-up-4","request_number":9223372036854775807})");
      out.member("recipient", role == "tool" ? "assistant" : "all").end_object();
    }
    out.key("parent");
    if (parent.empty()) out.null();
    else out.string(parent);
    out.key("children").raw("[]").end_object();
  }

  bool is_large() const { return request_.bytes > 0; }

  // Real exports have this metadata in every message, and the pages that a search found in some responses.
  std::string metadata(const std::string& id, std::string_view role) {
    Writer out;
    out.begin_object().key("serialization_metadata").raw(R"({"custom_symbol_offsets":[]})");
    out.member("request_id", format("{:032x}", dice_.next())).key("message_source").null();
    out.member("timestamp_", "absolute").key("message_type").null().member("model_slug", "made-up-4");
    out.member("default_model_slug", "auto").member("parent_id", id).member("is_complete", true);
    out.key("finish_details").raw(R"({"type":"stop","stop_tokens":[200002]})").key("citations").raw("[]");
    out.key("content_references").begin_array();
    const bool searched = role == "assistant" && dice_.below(4) == 0;
    for (std::size_t n = searched ? 2 + dice_.below(10) : 0; n > 0; --n) {
      out.begin_object()
          .member("matched_text", format("\ue200cite\ue202turn0search{}\ue201", n))
          .member("type", "grouped_webpages");
      out.member("start_idx", dice_.below(3000)).member("end_idx", 3000).key("safe_urls").begin_array();
      out.string(format("https://example.org/{:032x}", dice_.next())).end_array().key("refs").raw("[]");
      out.member("title", prose(dice_, 1)).key("pub_date").raw("1735689600.0");
      out.member("snippet", dice_.pick(paragraphs_));
      out.key("supporting_websites").raw("[]").key("error").null().member("style", "v2").end_object();
    }
    return out.end_array().end_object().take();
  }

  std::string text_content(std::string_view text) {
    Writer out;
    out.begin_object().member("content_type", "text").key("parts").begin_array().string(text).end_array().end_object();
    return out.take();
  }

  std::string answer() {
    switch (dice_.below(12)) {
      case 0:
        return R"({"content_type":"code","language":"python","response_format_name":null,"text":"print('\u00e9')\n"})";
      case 1:
        return R"({"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"file-service://file-made-up",)"
               R"("size_bytes":51234,"width":640,"height":480,"metadata":null},"look \ud83d\ude00)" +
               // Parsers used as a floor reject an unpaired surrogate.
               std::string(is_large() ? "" : R"( and half \ud83d)") + R"("]})";
      case 2:
        return R"({"content_type":"execution_output","text":"42\n"})";
      case 3:
        return R"({"content_type":"not_invented_yet","text":"kept","weight":0.10,"id":18446744073709551615})";
      default:
        return text_content(is_large() ? long_answer() : dice_.pick(paragraphs_));
    }
  }

  std::string long_answer() {
    std::string text;
    for (std::size_t n = 1 + dice_.below(6); n > 0; --n) text += dice_.pick(paragraphs_) + "\n\n";
    return text;
  }

  std::string conversation() {
    const std::string id = format("{:08x}-0000-4000-8000-{:012x}", number_, request_.seed);
    clock_ = 0;
    messages_ = blanks_ = 0;
    Writer out;
    out.begin_object().member("title", format("{} {}", number_, prose(dice_, 1)));
    out.key("create_time").raw(time()).key("update_time").raw(time()).key("mapping").begin_object();
    node(out, id + "-root", "", "", "");
    node(out, id + "-sys", id + "-root", "system", R"({"content_type":"text","parts":[""]})");
    ++blanks_;
    std::string last = id + "-sys";
    const std::size_t turns = 1 + dice_.below(6);
    for (std::size_t turn = 0; turn < turns; ++turn) {
      const std::string question = format("{}-q{}", id, turn), reply = format("{}-a{}", id, turn);
      const bool is_large = request_.large_bytes > 0 && number_ == 0 && turn == 0;
      node(out, question, last, "user", text_content(is_large ? large_text() : dice_.pick(paragraphs_)));
      node(out, reply, question, dice_.below(8) == 0 ? "tool" : "assistant", answer());
      messages_ += 2;
      if (dice_.below(4) == 0) {  // regenerated response: another branch
        node(out, reply + "-old", question, "assistant", text_content(dice_.pick(paragraphs_)));
        ++messages_;
      }
      last = reply;
    }
    if (number_ % 17 == 3) {  // a reply without a parent, and two replies that name each other as parent
      node(out, id + "-lost", id + "-never-exported", "user", text_content("an answer to nothing"));
      node(out, id + "-ring1", id + "-ring2", "user", text_content("one"));
      node(out, id + "-ring2", id + "-ring1", "user", text_content("two"));
      messages_ += 3;
    }
    out.end_object().key("moderation_results").raw("[]").member("current_node", last).member("conversation_id", id);
    out.member("is_archived", number_ % 5 == 0).member("default_model_slug", "made-up-4").member("id", id).end_object();
    return out.take();
  }

  std::string large_text() {
    std::string text;
    while (static_cast<std::int64_t>(text.size()) < request_.large_bytes) text += dice_.pick(paragraphs_) + "\n";
    return text;
  }

  const ExportRequest& request_;
  Dice dice_;
  std::vector<std::string> paragraphs_;
  Expected expected_{{"conversations", 0}, {"messages", 0}, {"blank", 0}, {"lost", 0}};
  std::int64_t number_ = 0, clock_ = 0, messages_ = 0, blanks_ = 0;
};

}  // namespace

Expected write_chatgpt_export(const ExportRequest& request) { return Maker(request).write(); }

}  // namespace demo
