#include "import/html/html_tree.h"

#include "import/io/limits.h"

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <memory>
#include <vector>

namespace ladder::imports::html {
namespace {

constexpr std::size_t kPieceTags = 4'000;  // real pages have a few hundred, some have thousands
constexpr std::size_t kPieceBytes = 2 * limits::kMiB;
constexpr std::size_t kLeastBytes = 2 * limits::kKiB;    // smaller pieces are not split: quadratic cost is acceptable
constexpr std::size_t kFreeBudget = 512 * limits::kKiB;  // for any page
constexpr std::size_t kBudgetPerByte = 64;               // real pages take 10 to 40
constexpr std::size_t kLastBudget = 64 * limits::kMiB;   // for a piece that cannot be split
constexpr std::size_t kArenaBlockBytes = 256 * limits::kKiB;

// Memory that is freed all at once. gumbo's own function for freeing a tree recurses as deep as the page.
class Arena {
 public:
  explicit Arena(std::size_t budget) : budget_(budget) {}

  // Returns null if the budget is spent.
  void* take(std::size_t size) {
    constexpr std::size_t kAlign = alignof(std::max_align_t);
    size = (std::max<std::size_t>(size, 1) + kAlign - 1) / kAlign * kAlign;
    if (size > budget_) return nullptr;
    budget_ -= size;
    if (size > left_) {
      const std::size_t block = std::max(size, kArenaBlockBytes);
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(block));
      at_ = blocks_.back().get();
      left_ = block;
    }
    void* memory = at_;
    at_ += size;
    left_ -= size;
    return memory;
  }

  std::jmp_buf out_of_budget;

 private:
  std::size_t budget_, left_ = 0;
  std::byte* at_ = nullptr;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
};

void* allocate(void* arena, std::size_t size) {
  if (void* memory = static_cast<Arena*>(arena)->take(size)) return memory;
  // NOLINTNEXTLINE(cert-err52-cpp): skips only C frames, and all their memory is in the arena
  std::longjmp(static_cast<Arena*>(arena)->out_of_budget, 1);
}

void release(void*, void*) {}

// Returns null if the budget is exceeded.
const GumboOutput* parse(std::string_view html, Arena& arena) {
  GumboOptions options = kGumboDefaultOptions;
  options.allocator = allocate;
  options.deallocator = release;
  options.userdata = &arena;
  options.max_errors = 0;
  // NOLINTNEXTLINE(cert-err52-cpp): see allocate()
  if (setjmp(arena.out_of_budget) != 0) return nullptr;
  return gumbo_parse_with_options(&options, html.data(), html.size());
}

bool begins_tag(std::string_view html, std::size_t at) {
  if (html[at] != '<' || at + 1 >= html.size()) return false;
  const char next = html[at + 1];
  return next == '/' || (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
}

// Returns the first tag at or after `from`, or the end.
std::size_t next_tag(std::string_view html, std::size_t from) {
  for (std::size_t at = html.find('<', from); at != std::string_view::npos; at = html.find('<', at + 1)) {
    if (begins_tag(html, at)) return at;
  }
  return html.size();
}

std::size_t end_of_piece(std::string_view html) {
  std::size_t tags = 0;
  for (std::size_t at = next_tag(html, 0); at < html.size(); at = next_tag(html, at + 1)) {
    if (tags == kPieceTags || at > kPieceBytes) return at;
    ++tags;
  }
  return html.size();
}

// Returns a tag near the middle at which the page can be split; 0 if only the first tag is left.
std::size_t middle_of(std::string_view html) {
  const std::size_t half = html.size() / 2;
  if (const std::size_t behind = next_tag(html, half); behind < html.size()) return behind;
  for (std::size_t at = html.rfind('<', half); at != std::string_view::npos && at > 0; at = html.rfind('<', at - 1)) {
    if (begins_tag(html, at)) return at;
  }
  return 0;
}

void read(std::string_view html, const UseTree& use) {
  const std::size_t middle = html.size() > kLeastBytes ? middle_of(html) : 0;
  Arena arena(kBudgetPerByte * html.size() + (middle > 0 ? kFreeBudget : kLastBudget));
  const PrunedPage page(html);
  const GumboOutput* output = parse(page.html(), arena);
  if (output != nullptr) return use(*output->document, page);
  if (middle == 0) return;
  read(html.substr(0, middle), use);
  read(html.substr(middle), use);
}

}  // namespace

void each_tree(std::string_view valid, const UseTree& use) {
  while (!valid.empty()) {
    const std::size_t end = std::max<std::size_t>(end_of_piece(valid), 1);
    read(valid.substr(0, end), use);
    valid.remove_prefix(end);
  }
}

}  // namespace ladder::imports::html
