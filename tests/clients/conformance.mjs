// The official conformance suite against `ladder serve`, in both eras. The suite can't send a token, so a proxy adds
// it. conformance-baseline.txt lists the checks that fail because Ladder lacks the feature, with the reason. Any other
// failure fails the run, and so does a baseline check that now passes or no longer exists.
//   node conformance.mjs LADDER
import {spawn} from 'node:child_process';
import {existsSync, mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {buildStore} from '../hosts/fixture/store.mjs';
import {CheckCounter} from '../hosts/fixture/check_counter.mjs';

import {node22} from './node22.mjs';
import {startProxy} from './proxy.mjs';

const kHere = dirname(fileURLToPath(import.meta.url));
const kEras = {
  legacy: '2025-11-25',
  modern: '2026-07-28'
};

// One "era scenario check: reason" per line; era "passes" gives the minimum number of passing checks, so that a suite
// that stops halfway fails.
function readBaseline() {
  const known = new Map(), least = {};
  for (const line of readFileSync(join(kHere, 'conformance-baseline.txt'), 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const count = /^(\w+) passes (\d+)$/.exec(line);
    const entry = /^(legacy|modern) (\S+) (\S+): (.+)$/.exec(line);
    if (count)
      least[count[1]] = Number(count[2]);
    else if (entry)
      known.set(entry.slice(1, 4).join(' '), entry[4]);
    else
      throw new Error(`conformance-baseline.txt: ${line}`);
  }
  return {known, least};
}

// Reads every check of the suite from the files it writes: [{name, status, message}].
function checksIn(folder, era) {
  const checks = [];
  for (const run of readdirSync(folder)) {
    const file = join(folder, run, 'checks.json');
    if (!existsSync(file)) continue;
    const scenario = run.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
    for (const {id, status, errorMessage} of JSON.parse(readFileSync(file, 'utf8')))
      checks.push({name: `${era} ${scenario} ${id}`, status, message: errorMessage});
  }
  return checks;
}

async function runSuite(url, era, folder) {
  const suite = join(kHere, 'node_modules', '.bin', 'conformance');
  const out = join(folder, era);
  const child = spawn(
      node22(), [suite, 'server', '--url', url, '--requirements', kEras[era], '-o', out], {stdio: ['ignore', 'pipe', 'pipe']});
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (said += part));
  await new Promise((resolve) => child.on('close', resolve));
  if (!existsSync(out)) throw new Error(`the suite did not run: ${said.slice(-2000)}`);
  return checksIn(out, era);
}

const folder = mkdtempSync(join(tmpdir(), 'ladder-conformance-'));
const tally = new CheckCounter();
const {known, least} = readBaseline();
const {ladder, token} = buildStore(process.argv[2], folder, join(folder, 'ladder.db'));
const server = await ladder.serve();
const proxy = await startProxy(new URL(server.url).origin, token);
try {
  for (const era of Object.keys(kEras)) {
    const checks = await runSuite(`${proxy.url}/mcp`, era, folder);
    const seen = new Set();
    let passes = 0;
    for (const {name, status, message} of checks) {
      const bad = status === 'FAILURE' || status === 'WARNING';
      if (bad && known.has(name)) {
        seen.add(name);
        continue;
      }
      if (bad) await tally.check(`conformance, ${name}`, () => Promise.reject(new Error(`${status}: ${message}`)));
      if (status === 'SUCCESS') ++passes;
    }
    tally.passed += passes;
    console.log(`[ ok ] conformance, ${era}: ${passes} checks pass, ${seen.size} known failures`);
    for (const name of known.keys()) {
      if (!name.startsWith(`${era} `) || seen.has(name)) continue;
      await tally.check(
          `conformance, ${name}`, () => Promise.reject(new Error('it is in the baseline but passes: remove it')));
    }
    if (passes < least[era]) {
      await tally.check(
          `conformance, ${era}`,
          () => Promise.reject(new Error(`only ${passes} checks passed; expected at least ${least[era]}`)));
    }
  }
} finally {
  await proxy.close();
  await server.stop();
  rmSync(folder, {recursive: true, force: true});
}
tally.end();
