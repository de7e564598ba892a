// The accounts that Ladder reads by itself: their section of the Sources page, and what their own pages share with it.
#pragma once

#include "console/parts.h"
#include "console/synced_sources.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::console {

// Empty if there is none and none can be added.
Writer syncs_section(const std::vector<SyncedSource>& sources, const std::string& csrf, bool can_add, Instant now);

Writer sync_state(const SyncedSource& source);                    // "Up to date", with its icon and color
std::string sync_times(const SyncedSource& source, Instant now);  // "Last read today, 07:30. Next: today, 07:45."
Writer sync_action(const SyncedSource& source, const std::string& csrf, std::string_view action, std::string_view label,
                   std::string_view look);                                 // a form with one button
Writer sync_problem(const SyncedSource& source, const std::string& csrf);  // the problem and its remedy; empty if there is none
// Why a sign-in failed, and what to do about it.
Writer sign_in_problem(const Error& error);
Writer count_text(std::int64_t count, SyncKind kind);  // "7 events"
std::string every_text(std::int64_t seconds);          // "15 minutes", "hour"

}  // namespace ladder::console
