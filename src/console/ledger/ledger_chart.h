// Characters read by day and client: a stacked chart in two widths, and the same data as a table. Everything is an SVG
// attribute because the pages allow no inline styles.
#pragma once

#include "console/parts.h"
#include "html/html.h"
#include "server/ledger/ledger.h"

#include <cstdint>
#include <vector>

namespace ladder::console {

class LedgerChart {
 public:
  static constexpr std::int64_t kDays = 30, kFewDays = 14;

  // Covers the UTC days that end with `today`. Clients without reads are omitted.
  LedgerChart(const std::vector<server::LedgerUse>& uses, ClientFaces& faces, std::int64_t today);

  std::int64_t chars() const { return chars_; }
  std::int64_t answers() const { return answers_; }
  std::int64_t clients() const { return static_cast<std::int64_t>(clients_.size()); }

  html::Writer legend() const;
  html::Writer charts() const;
  html::Writer table() const;

 private:
  struct Client {
    ClientFace face;
    std::vector<std::int64_t> chars;  // by day, oldest first
  };
  struct Shape {
    double width, height, base, left;
    std::int64_t days, label_every;
  };

  html::Writer chart(const Shape& shape) const;
  std::int64_t total(std::int64_t day) const;
  std::string day_name(std::int64_t day) const;  // "22 Oct"; "Today"

  std::int64_t today_, chars_ = 0, answers_ = 0;
  std::vector<Client> clients_;  // in the order of their colors
};

// Returns the distance of the grid lines for a scale up to `most`: 1, 2 or 5 times a power of ten, so that there are three to
// six lines.
std::int64_t scale_step(std::int64_t most);
std::string scale_text(std::int64_t number);  // "50k", "1.5M", "800"

}  // namespace ladder::console
