// ladder approve: answers a pending access request from the terminal. It shows the app and the requested access, as
// the consent page does, and changes nothing without --yes or --deny.
#include "auth/authorization.h"
#include "auth/text_formatting.h"
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/visible_text.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"

#include <algorithm>

namespace ladder::cli {
namespace {

class Approve final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("CODE", code_, "the eight-character code that the device or page shows");
    arguments.each_value(
        "--stream", "SOURCE/STREAM",
        [this](const std::string& stream) -> Status {
          streams_.push_back(stream);
          return {};
        },
        "also allow this stream, with the requested fields, or all if none were requested; may be repeated");
    arguments.value("--for", "1d|30d|1y|end", duration_, "how long it can read; end: until revoked (default: 30d)");
    arguments.flag("--yes", yes_, "allow it");
    arguments.flag("--deny", deny_, "deny it");
    arguments.example("ladder approve BCDF-2345");
    arguments.example("ladder approve BCDF-2345 --stream gmail/messages --for 1d --yes");
    arguments.example("ladder approve BCDF-2345 --deny");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    auth::AuthorizationServer& authorization = session->authorization();
    LADDER_TRY(const std::string id, authorization.requests().find_by_code(code_));
    LADDER_TRY(const auto request, authorization.requests().open(id, owner));
    if (request.status != "waiting") return fail(Code::kConflict, "this request was already answered", "CODE");
    LADDER_TRY(const auto client, authorization.clients().find(request.client_id));
    const std::string title = visible_label(auth::at_start(auth::requester_name(request)));
    const std::string name = visible_label(client.name);
    const bool is_named = name.empty() || title.find(name) != std::string::npos;
    context.console.out(format("{} requests access{}\n", title, is_named ? "" : format("; it calls itself {}", name)));
    if (deny_) {
      LADDER_CHECK(authorization.requests().deny(request));
      context.console.out("Denied\n");
      return kDone;
    }
    const auto details = auth::read_details(request.details);
    if (!details) return fail(Code::kInvalidRequest, details.error().description);
    if (auth::wants_training(*details)) {
      return fail(Code::kInvalidRequest, "it wants to train a model on the data; allow that on the consent page");
    }
    LADDER_TRY(const auto held, authorization.client_access().held(owner, request.client_id));
    LADDER_TRY(const auto offer, auth::make_offer(session->server(), owner, *details, held));
    LADDER_TRY(const auth::Choices choices, choose(offer));
    const auth::ReviewSubject of{client, request.redirect_uri, request.resource, request.details, *details};
    LADDER_TRY(const auto review, auth::make_review(session->server(), owner, of, offer, choices, authorization.now()));
    for (const auth::StreamPreview& stream : review.streams) {
      std::string fields;
      for (const std::string& field : stream.fields) fields += (fields.empty() ? "" : ", ") + field;
      context.console.out(format("  {}: {} of {}\n", stream.offered->id(), fields,
                                 stream.records == 1 ? "1 record" : grouped(stream.records) + " records"));
    }
    for (const grant::Grant& grant : review.draft.grants) {
      context.console.out(format("  {}: {}\n", visible_label(grant.source_id), visible_label(auth::terms_text(grant))));
    }
    if (!yes_) {
      context.console.err("Nothing was changed; add --yes to allow it, or --deny to deny it\n");
      return kDone;
    }
    LADDER_CHECK(authorization.consents().approve(request, owner, review, choices, held, "terminal"));
    context.console.out("Allowed\n");
    return kDone;
  }

 private:
  Result<auth::Choices> choose(const auth::Offer& offer) const {
    auth::Choices choices = auth::required_choices(offer);
    if (duration_) choices.duration = *duration_;
    if (choices.duration != "1d" && choices.duration != "30d" && choices.duration != "1y" && choices.duration != "end") {
      return fail(Code::kInvalidRequest, "--for must be 1d, 30d, 1y or end", "--for");
    }
    for (const std::string& id : streams_) {
      const auto found = std::ranges::find_if(offer.streams, [&](const auth::OfferedStream& one) { return one.id() == id; });
      if (found == offer.streams.end()) {
        std::string names;
        for (const auth::OfferedStream& one : offer.streams) names += (names.empty() ? "" : ", ") + one.id();
        return fail(Code::kNotFound, format("unknown stream {}; available: {}", visible_label(id), names), "stream");
      }
      auth::ChosenStream chosen{id, {}, {}};
      for (const auth::OfferedStream::Account& account : found->accounts) chosen.connection_ids.push_back(account.connection_id);
      for (const auth::OfferedField& field : found->fields) {
        if (field.asked || !found->asked) chosen.fields.push_back(field.name);
      }
      std::erase_if(choices.streams, [&](const auth::ChosenStream& one) { return one.id == id; });
      choices.streams.push_back(std::move(chosen));
    }
    if (choices.streams.empty()) {
      return fail(Code::kInvalidRequest, "it requests nothing specific; choose what to allow with --stream SOURCE/STREAM",
                  "stream");
    }
    return choices;
  }

  std::string code_;
  std::vector<std::string> streams_;
  std::optional<std::string> duration_;
  bool yes_ = false, deny_ = false;
};

}  // namespace

std::unique_ptr<Command> make_approve() { return std::make_unique<Approve>(); }

}  // namespace ladder::cli
