# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Sourced by ./dev: runs suites in parallel, counts their tests, and prints the result of each.
#
# A test program is split into parts, since most tests wait for a database, a child process or a clock: only parallel parts keep the
# cores busy. There are always four more parts running than cores, and up to two more while a fifth of the cores is idle.
# Tests that measure time, or load the machine on purpose, are excluded from the parts and run alone.

# The number of parts of a program; others have one.
declare -A parts_of=(
  [store_tests]=5 [server_tests]=7 [import_tests]=5 [property_tests]=3 [wire_tests]=5 [faults_tests]=5 [sync_tests]=4 [unit_tests]=3 [http_tests]=3
  [e2e_tests]=7 [nodes_tests]=2 [auth_tests]=2 [tools_tests]=2)

# GoogleTest filters, by program, of tests that measure time or load the machine on purpose: they run alone. tests/CMakeLists.txt defines
# them; read_timing reads them from the build.
declare -A timing_of=()
read_timing() {  # read_timing PRESET...
  local preset program timing
  for preset in "$@"; do
    while read -r program _ timing; do timing_of[$program]=$timing; done <"build/$preset/test-programs"
  done
}

# The number of parallel parts, by engine, for timing tests that compare durations on one core.
declare -A timing_parts_of=([server_tests]=2)

longest_first="faults_tests sync_tests import_tests e2e_tests store_tests server_tests economy_tests property_tests wire_tests exports_tests unit_tests
  http_tests gate_tests api_tests"
longest_part=3600  # seconds; a longer run hangs

# --- a folder and a PostgreSQL for the run ---

# Tests write many small stores, whose fsync would take half of the total time: they are in memory if there is space. Tests that need
# a full disk, or one that loses unsynced data, simulate it.
scratch_folder() {
  local free=0
  if [ -d /dev/shm ] && [ -w /dev/shm ]; then
    free=$({ df --output=avail -k /dev/shm | tail -n 1; awk '/^MemAvailable/ {print $2}' /proc/meminfo; } | sort -n | head -n 1)
  fi
  if [ "$free" -ge 6000000 ]; then mktemp -d /dev/shm/ladder-test-XXXXXX; else mktemp -d "${TMPDIR:-/tmp}/ladder-test-XXXXXX"; fi
}

# open_scratch: creates TMPDIR for the tests and, unless it is set, LADDER_TEST_POSTGRES. Both are removed when this script ends.
open_scratch() {
  local scratch
  scratch=$(scratch_folder) || return 1
  chmod 711 "$scratch"  # as root, the server runs as another user
  export TMPDIR="$scratch"
  exec {scratch_end}> >(exec tests/support/scratch-and-postgres "$scratch" "${LADDER_TEST_POSTGRES:+given}")
  if [ -n "${LADDER_TEST_POSTGRES:-}" ]; then return 0; fi
  for ((tries = 0; tries < 600; ++tries)); do
    if [ -e "$scratch/postgres/failed" ]; then break; fi
    if [ -e "$scratch/postgres/ready" ]; then export LADDER_TEST_POSTGRES="postgres://postgres@/postgres?host=$scratch/postgres"; return 0; fi
    sleep 0.1
  done
  complain "no PostgreSQL for the tests:"
  cat "$scratch/postgres/log" >&2
  return 1
}
close_scratch() { exec {scratch_end}>&-; }

# --- the pool ---

declare -A part_running=() parts_left=() suite_passed=() suite_failed=() suite_skipped=() suite_seconds=() suite_busy=()

# part_ended SUITE COUNTS LOG: reads "passed failed skipped seconds" from the file COUNTS, and the processor time of its processes, as
# printed by `times`, from COUNTS.cpu; prints the suite's line after its last part.
part_ended() {
  local suite="$1" name ok=0 bad=1 skipped=0 seconds=0 busy=0
  name="${suite%@*}" name="${name/,/, }"
  case "$suite" in *@*) name="$name (${suite#*@})" ;; esac
  read -r ok bad skipped seconds <"$2" || { ok=0 bad=1 skipped=0 seconds=0; }
  suite_passed[$suite]=$((${suite_passed[$suite]:-0} + ok)) suite_failed[$suite]=$((${suite_failed[$suite]:-0} + bad))
  suite_skipped[$suite]=$((${suite_skipped[$suite]:-0} + skipped)) suite_seconds[$suite]=$((${suite_seconds[$suite]:-0} + seconds))
  busy=$(awk 'NR == 2 { gsub(/[ms]/, " "); printf "%d", $1 * 60 + $2 + $3 * 60 + $4 + 0.5 }' "$2.cpu" 2>/dev/null)
  suite_busy[$suite]=$((${suite_busy[$suite]:-0} + ${busy:-0}))
  parts_left[$suite]=$((${parts_left[$suite]} - 1))
  if [ "$bad" -gt 0 ]; then
    trouble=1
    complain "$name: $ok passed, $bad failed; the rest is in $3:"
    { grep -E "\[  FAILED  \] .* \([0-9]+ ms\)$|\*\*\*|ERROR: AddressSanitizer|WARNING: ThreadSanitizer|runtime error:" "$3"
      grep -A 30 "^\[FAIL\]" "$3"; } | head -n 150
    grep -vE "\[ RUN      \]|\[       OK \]" "$3" | tail -n 60
  fi
  [ ${parts_left[$suite]} -eq 0 ] || return 0
  passed=$((passed + ${suite_passed[$suite]})) failed=$((failed + ${suite_failed[$suite]}))
  printf '%s\n' "${dim}    $name: ${suite_passed[$suite]} passed, ${suite_failed[$suite]} failed$(
    if [ ${suite_skipped[$suite]} -gt 0 ]; then echo ", ${suite_skipped[$suite]} skipped"; fi) in ${suite_seconds[$suite]} s, ${suite_busy[$suite]} s of a core${plain}"
}

# await_part [SECONDS]: waits until a part has ended, at most for the given time.
timer=''
await_part() {
  local process='' ended
  if [ -n "${1:-}" ] && [ -z "$timer" ]; then sleep "$1" & timer=$!; fi
  wait -n -p process
  if [ -n "$timer" ] && [ "$process" = "$timer" ]; then timer=''; return; fi
  # Without a process id, no child is left to wait for.
  for ended in ${process:-${!part_running[@]}}; do
    [ -n "${part_running[$ended]:-}" ] || continue
    part_ended ${part_running[$ended]}
    unset "part_running[$ended]"
  done
}
await_parts() { while [ ${#part_running[@]} -gt 0 ]; do await_part; done; }

# cores_idle: true if a fifth of all cores was idle since the last call; false if that was less than a second ago.
looked_at=0 idle_before=0 total_before=0
cores_idle() {
  local user nice system idle waiting interrupts soft stolen total answer=1
  [ "$SECONDS" -gt "$looked_at" ] && [ -r /proc/stat ] || return 1
  read -r _ user nice system idle waiting interrupts soft stolen _ </proc/stat
  idle=$((idle + waiting)) total=$((user + nice + system + idle + interrupts + soft + stolen))
  if [ "$looked_at" -gt 0 ] && [ $(((idle - idle_before) * 5)) -ge $((total - total_before)) ]; then answer=0; fi
  looked_at=$SECONDS idle_before=$idle total_before=$total
  return $answer
}

# start_part AT-A-TIME SUITE COUNTS LOG COMMAND…: waits until fewer than AT-A-TIME parts run. If AT-A-TIME exceeds the number of cores,
# up to two more may run while cores are idle.
start_part() {
  local most="$1" told="$2 $3 $4" beside=0
  if [ "$most" -gt "$jobs" ]; then beside=2; fi
  while [ ${#part_running[@]} -ge "$most" ]; do
    if [ ${#part_running[@]} -lt $((most + beside)) ]; then
      if cores_idle; then break; fi
      await_part 1
    else
      await_part
    fi
  done
  rm -f "$3" "$3.cpu"
  { "${@:5}" "$3" "$4"; times >"$3.cpu"; } </dev/null {scratch_end}>&- &
  part_running[$!]="$told"
}

# --- parts ---

# tests_of PRESET PROGRAM FILTER PART PARTS: prints every PARTS-th test that the filter selects, as a filter. GoogleTest's own sharding
# would also apply to test programs that tests start.
tests_of() {
  "build/$1/tests/$2" --gtest_list_tests --gtest_filter="$3" |
    awk -v part="$4" -v parts="$5" '/^[^ ]/ { suite = $1; next } NF { if (count++ % parts == part) printf "%s%s:", suite, $1 }'
}

# gtest_part PRESET PROGRAM FILTER PART PARTS COUNTS LOG
gtest_part() {
  local result="${6%.count}.xml" begin=$SECONDS tests status ok bad skipped
  rm -f "$result"
  tests=$(tests_of "${@:1:5}" 2>"$7")
  if [ -z "$tests" ]; then echo "*** $2 names no tests" >>"$7"; echo "0 1 0 0" >"$6"; return; fi
  # GoogleTest writes its counts to a file when the program ends; the output of nested test programs is not counted.
  timeout -k 30 $longest_part "build/$1/tests/$2" --gtest_filter="$tests" --gtest_output="xml:$result" >"$7" 2>&1
  status=$?
  [ $status -ne 124 ] || echo "*** Timeout: $2 took more than $longest_part s" >>"$7"
  if [ -f "$result" ]; then
    bad=$(sed -nE 's/^<testsuites .*failures="([0-9]+)".*/\1/p' "$result")
    skipped=$(grep -cE 'result="(skipped|suppressed)"' "$result")
    ok=$(($(grep -c "<testcase " "$result") - bad - skipped))
  else  # it crashed, hung or was not built: count its output
    ok=$(grep -c "\[       OK \] " "$7") bad=0 skipped=0
  fi
  if [ $status -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  echo "$ok $bad $skipped $((SECONDS - begin))" >"$6"
}

# counted_part COMMAND… COUNTS LOG: runs a program that ends with the line "N passed, M failed"; without that line it is one failure.
counted_part() {
  local words=("${@:1:$#-2}") counts="${*: -2:1}" log="${*: -1}" begin=$SECONDS status ok bad
  timeout -k 30 $longest_part "${words[@]}" >"$log" 2>&1
  status=$?
  ok=$(sed -nE "s/^([0-9]+) passed, ([0-9]+) failed$/\1/p" "$log" | tail -n 1)
  bad=$(sed -nE "s/^([0-9]+) passed, ([0-9]+) failed$/\2/p" "$log" | tail -n 1)
  if { [ $status -ne 0 ] || [ -z "$ok" ]; } && [ "${bad:-0}" -eq 0 ]; then bad=1; fi
  echo "${ok:-0} $bad 0 $((SECONDS - begin))" >"$counts"
}

# --- suites ---

# programs PRESET [LABELS]: the test programs of a build, or those whose label matches the extended regular expression.
programs() { awk -v labels="^(${2:-.*})$" '$2 ~ labels { print $1 }' "build/$1/test-programs"; }

# start_program AT-A-TIME PRESET PROGRAM: starts all of its tests except those that measure time.
start_program() {
  local part parts="${parts_of[$3]:-1}" timing="${timing_of[$3]:-}"
  parts_left["$3@$2"]=$parts
  for ((part = 0; part < parts; ++part)); do
    start_part "$1" "$3@$2" "build/$2/$3.$part.count" "build/$2/$3.$part.log" gtest_part "$2" "$3" "*${timing:+:-$timing}" $part $parts
  done
}

# start_timing PRESET PROGRAM: starts its tests that measure time, alone.
start_timing() {
  local part parts="${timing_parts_of[$2]:-1}"
  [ -n "${timing_of[$2]:-}" ] || return 0
  if [ "$parts" -gt "$jobs" ]; then parts=1; fi
  parts_left["$2,timing@$1"]=$parts
  await_parts
  for ((part = 0; part < parts; ++part)); do
    start_part $parts "$2,timing@$1" "build/$1/$2.timing.$part.count" "build/$1/$2.timing.$part.log" \
      gtest_part "$1" "$2" "${timing_of[$2]}" $part $parts
  done
}

# start_counted AT-A-TIME NAME COMMAND…: starts a suite that does not use GoogleTest, on the release build.
start_counted() {
  parts_left["$2"]=1
  start_part "$1" "$2" "build/release/$2.count" "build/release/$2.log" counted_part "${@:3}"
}

# By default AddressSanitizer keeps 256 MB of freed memory in quarantine: new pages are touched all the time and copied with every
# fork, so a smaller quarantine is faster. --all keeps the default, and also checks child processes for leaks.
sanitizer_options() {
  if [ -z "${LADDER_TEST_ALL:-}" ]; then export ASAN_OPTIONS="quarantine_size_mb=32${ASAN_OPTIONS:+:$ASAN_OPTIONS}"; fi
}

# run_suites: runs everything in to_run and the suites that use the release build from outside. Long parts start first.
run_suites() {
  local many=$((jobs + 4)) ladder="$PWD/build/release/ladder" node one
  read_timing $(printf '%s\n' "${to_run[@]#*@}" | sort -u)
  sanitizer_options
  say "suites, $many parts at a time; seconds are the sum over a suite's parts"
  node=$(client_node)
  if [ -x "$ladder" ]; then  # otherwise its build failed, which is already counted
    start_counted $many browser_postgres "$node" tests/browser/run.mjs "$ladder" --only postgres
    start_counted $many browser_sqlite "$node" tests/browser/run.mjs "$ladder" --only sqlite
  fi
  for one in $(printf '%s\n' "${to_run[@]}" | awk -F@ -v order="$longest_first" 'BEGIN { n = split(order, names, " "); for (i in names) at[names[i]] = n - i }
      { print 0 + at[$1], $0 }' | sort -k1,1nr -s | cut -d' ' -f2); do
    start_program $many "${one#*@}" "${one%@*}"
  done
  if [ -x "$ladder" ]; then
    start_counted $many mcp_hosts node tests/hosts/run.mjs "$ladder"
    start_counted $many mcp_doctor node tests/hosts/doctor.mjs "$ladder"
    start_counted $many mcp_tasks node tests/hosts/tasks.mjs "$ladder" "$PWD/build/release/demo/generate"
    start_counted $many mcp_play node tests/hosts/play.mjs "$ladder"
    start_counted $many mcp_conformance "$node" tests/clients/conformance.mjs "$ladder"
    start_counted $many mcp_clients "$node" tests/clients/clients.mjs "$ladder"
    start_counted $many mcp_inspector "$node" tests/clients/inspector.mjs "$ladder"
    start_counted $many authorization "$node" tests/clients/authorization.mjs "$ladder"
  fi
  await_parts
  say "tests that measure time or load the machine, one after another"
  for one in "${to_run[@]}"; do start_timing "${one#*@}" "${one%@*}"; done
  await_parts
}
