// A fetcher that strangers cannot wear out, nor turn against somebody else: they name the addresses, Ladder makes the requests.
#include "auth/clients.h"
#include "base/mutex.h"

#include <deque>
#include <map>

namespace ladder::auth {
namespace {

constexpr int kAtOnce = 2;  // each takes up a worker for 5 s at most
constexpr std::size_t kPerMinute = 20;
constexpr Instant kMinute = 60 * kSecond;
constexpr Instant kFailedFor = 30 * kSecond;
constexpr std::size_t kMaxRemembered = 1'000;

class PatientFetcher final : public DocumentFetcher {
 public:
  PatientFetcher(std::unique_ptr<DocumentFetcher> inner, const Clock& clock) : inner_(std::move(inner)), clock_(clock) {}

  Result<Document> fetch(const std::string& url) override {
    const auto uri = parse_uri(url);
    if (!uri) return fail(Code::kInvalidRequest, "its address is not https with a path");
    if (Status fit = begin(url, uri->host); !fit) return std::unexpected(fit.error());
    auto answer = inner_->fetch(url);
    const MutexLock lock(mutex_);
    --running_;
    if (!answer && failed_.size() < kMaxRemembered) failed_[url] = {clock_.now() + kFailedFor, answer.error().message};
    return answer;
  }

 private:
  struct Failure {
    Instant until = 0;
    std::string why;
  };

  Status begin(const std::string& url, const std::string& host) {
    const MutexLock lock(mutex_);
    const Instant now = clock_.now();
    std::erase_if(failed_, [&](const auto& one) { return one.second.until <= now; });
    if (const auto known = failed_.find(url); known != failed_.end()) return fail(Code::kInvalidRequest, known->second.why);
    while (!called_.empty() && called_.front().first <= now - kMinute) called_.pop_front();
    std::size_t of_host = 0;
    for (const auto& [at, name] : called_) of_host += name == host ? 1 : 0;
    if (running_ >= kAtOnce || of_host >= kPerMinute || called_.size() >= kMaxRemembered) {
      return fail(Code::kInvalidRequest, "too many documents are being fetched; try again in a minute");
    }
    ++running_;
    called_.emplace_back(now, host);
    return {};
  }

  std::unique_ptr<DocumentFetcher> inner_;
  const Clock& clock_;
  Mutex mutex_;
  int running_ LADDER_GUARDED_BY(mutex_) = 0;
  std::deque<std::pair<Instant, std::string>> called_ LADDER_GUARDED_BY(mutex_);  // when, and which host
  std::map<std::string, Failure> failed_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<DocumentFetcher> make_patient_fetcher(std::unique_ptr<DocumentFetcher> inner, const Clock& clock) {
  return std::make_unique<PatientFetcher>(std::move(inner), clock);
}

}  // namespace ladder::auth
