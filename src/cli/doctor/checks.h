// The checks of `ladder doctor` that concern this command line: its settings, its programs and the hosts that start it.
#pragma once

#include "app/doctor/finding.h"
#include "cli/invocation/session.h"

namespace ladder::cli {

void check_settings(const Context& context, app::Findings& findings);     // doctor_environment.cpp
void check_place(const Context& context, app::Findings& findings);        // permissions and free space of a file store
void check_journal(const Context& context, app::Findings& findings);      // of the ledger, for a store in PostgreSQL
void check_grants(Session& session, app::Findings& findings);             // doctor.cpp
void check_syncs(Session& session, app::Findings& findings);              // doctor_syncs.cpp: sources that Ladder reads by itself
void check_backups(Session& session, app::Findings& findings);            // doctor_backups.cpp: the schedule and its last outcome
void check_notifications(Session& session, app::Findings& findings);      // doctor_backups.cpp: channels that fail
void check_programs(const Context& context, app::Findings& findings);     // doctor_environment.cpp: ladder-extract, time zones
void check_environment(const Context& context, app::Findings& findings);  // credential cache, address of serve
// Checks the hosts that start ladder: doctor_clients.cpp. `session` is null if there is no store to check their tokens against.
void check_clients(const Context& context, Session* session, app::Findings& findings);

}  // namespace ladder::cli
