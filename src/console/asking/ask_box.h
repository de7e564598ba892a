// The box for a question, on Home and on the Ask page.
#pragma once

#include "ask/ask.h"
#include "html/html.h"

#include <string>

namespace ladder::console {

// With `writes`, the form is a POST that asks the model; otherwise a GET that shows passages.
html::Writer ask_box(const std::string& question, const std::string& csrf, bool writes, bool is_home);

}  // namespace ladder::console
