// Tests the installed hosts and the MCP Inspector from the output of `ladder connect` to a read, with Chromium acting
// for the owner: sign-in and consent on the pages that the host prints or opens. Then the host is asked a question; our
// own model (model.mjs) searches and reads on. A host passes if its model saw the text and its position, and the
// disclosure ledger contains exactly that. Client documents are on the internet; if one cannot be fetched, the client
// is first added by hand with `ladder client add`. Qwen Code can sign in from its dialog only and is left to run.mjs.
// Not part of ./dev test.
//   node connect.mjs LADDER [HOST]…
import {spawn} from 'node:child_process';
import {chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {consent, signInByLink, startFixture} from '../browser/fixture.mjs';
import {node22} from '../clients/node22.mjs';
import {CheckCounter} from '../hosts/fixture/check_counter.mjs';

import {hostsWith} from './hosts.mjs';
import {idsIn, startModel} from './model.mjs';

const kTimeoutMs = 120_000;
const kQuery = 'congé préavis locataires';  // a lease among the notes
const [program, ...only] = process.argv.slice(2);
const fixture = await startFixture(program);
// A search, then all text of the first hit.
const model = await startModel((results) => {
  if (results.length === 0) return {tool: 'search', args: {query: kQuery}};
  const [id] = idsIn(results[0]);
  return results.length === 1 && id ? {tool: 'read_record_field', args: {id, field_path: 'text', limit_chars: 16384}} : null;
});
const home = join(fixture.folder, 'home'), bin = join(fixture.folder, 'bin'), opened = join(fixture.folder, 'opened');
const asked = hostsWith(model, home);
for (const place of [home, bin]) mkdirSync(place, {recursive: true});
// Hosts open a page with one of these programs: it only prints the address.
for (const name of ['xdg-open', 'sensible-browser', 'www-browser', 'open']) {
  writeFileSync(join(bin, name), `#!/bin/sh\nprintf '%s\\n' "$@" >> '${opened}'\n`);
  chmodSync(join(bin, name), 0o755);
}
const env = {
  PATH: `${bin}:${process.env.PATH}`,
  HOME: home,
  BROWSER: join(bin, 'xdg-open'),
  DISPLAY: ':9',
  NO_COLOR: '1',
  LANG: 'C.UTF-8'
};
const address = `${fixture.base}/mcp`;

function write(path, text) {
  mkdirSync(join(home, path, '..'), {recursive: true});
  writeFileSync(join(home, path), typeof text === 'string' ? text : JSON.stringify(text));
}

// Runs the host to its end; the owner answers a page that it prints or opens.
function run(words, page, more = {}, input = 'pipe') {
  writeFileSync(opened, '');
  return new Promise((resolve) => {
    const child = spawn(words[0], words.slice(1), {cwd: home, env: {...env, ...more}, stdio: [input, 'pipe', 'pipe']});
    let said = '', answering = null, fault = '', agreed = false;
    const look = () => {
      if (!agreed && /\[Y\/n\]/.test(said)) agreed = child.stdin.write('y\n') || true;
      const text = said.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '') + readFileSync(opened, 'utf8');
      // Complete: its terminator has arrived.
      const found = /https?:\/\/localhost:\d+\/oauth\/authorize\?[^\s"'│\x00-\x1f]+(?=[\s"'│\x00-\x1f])/.exec(text);
      if (found && !answering) answering = consent(page, found[0]).catch((error) => ((fault = String(error)), child.kill()));
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => ((said += part), look()));
    const watch = setInterval(look, 200);
    const timer = setTimeout(() => child.kill('SIGKILL'), kTimeoutMs);
    child.on('error', (error) => (said += error));
    child.on('close', async (code) => {
      clearTimeout(timer);
      clearInterval(watch);
      await answering;
      resolve({code, said, asked: answering !== null, fault});
    });
  });
}

// How each host is configured and signs in, following the output of `ladder connect`.
const redirects = ['http://localhost/callback', 'http://127.0.0.1/callback', 'http://127.0.0.1:19876/mcp/oauth/callback'];
const printed = (host) => fixture.ladder.run(['connect', host, '--public-url', fixture.base]).text;
const commands = (host) => printed(host).split('\n').map((line) => line.split(' '));
const hosts = {
  claude: {
    document: 'https://claude.ai/oauth/claude-code-client-metadata',
    steps: () => [...commands('claude-code'), ['script', '-qec', 'claude mcp login ladder', '/dev/null']],
  },
  codex: {
    document: 'https://chatgpt.com/oauth/codex/client.json',
    before: () => write(...asked.codex.file('')),
    steps: () => commands('codex'),
  },
  opencode: {
    document: 'https://opencode.ai/oauth/opencode/client.json',
    before: () => write(...asked.opencode.file(JSON.parse(printed('opencode')))),
    steps: () => [['opencode', 'mcp', 'auth', 'ladder']],
  },
  gemini: {
    before: () => write(...asked.gemini.file(JSON.parse(printed('gemini')))),
    steps: () => [['gemini', '-m', 'gemini-2.5-pro', '-p', '/mcp auth ladder', '--skip-trust']],
  },
};

// Returns the newest ledger entries since then, oldest first; the server sweeps its journal every second.
async function disclosed(since, count) {
  for (let tries = 0;; ++tries) {
    const entries = fixture.ladder.run(['ledger']).data.filter(({at}) => Date.parse(at) >= since).reverse();
    if (entries.length >= count || tries === 20) return entries;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

// The text appears unchanged or inside a JSON string.
const holds = (text, part) => [part, JSON.stringify(part).slice(1, -1)].some((form) => text.includes(form));

// Asks the question: the model saw the owner's text with its position, and the ledger says so.
async function askedAndRead(name, page) {
  model.forget();
  const since = Date.now();
  const {said, asked: again} = await run([name, ...asked[name].ask(`Find "${kQuery}" with the ladder tools.`)], page, asked[name].env, 'ignore');
  const seen = model.seen(), entries = await disclosed(since, 2);
  const told = `its model had the tools ${model.tools().join(' ')}, saw ${JSON.stringify(seen.map((one) => one.slice(0, 600)))}, was asked ${
      model.asked().join(', ')}; the ledger has ${JSON.stringify(entries).slice(0, 2000)}; it said: ${said.slice(-1500)}`;
  model.keep(`${name} by address`);
  const must = (holds_, what) => {
    if (!holds_) throw new Error(`${what}: ${told}`);
  };
  must(!again, 'it requested the page again');
  must(seen.length === 2, 'it did not search and read');
  const [id] = idsIn(seen[0]);
  const {field, window: whole} = fixture.ladder.run(['read', id, 'text', '--limit', '16384']);
  const size = field.size_chars;
  must(whole.complete && size > 3000 && holds(seen[1], whole.text), 'its model was not shown the whole text');
  const place = seen[1].replaceAll('\\"', '"');
  must(idsIn(seen[1])[0] === id && /"(field_)?path":\s*"text"/.test(place) && new RegExp(`"size_chars":\\s*${size}\\b`).test(place),
       'its model was not shown where the text stands');
  const [search, window] = entries;
  must(entries.length === 2 && search.kind === 'search' && window.kind === 'window', 'the ledger has other entries');
  must(search.transport === 'mcp' && window.transport === 'mcp' && search.client_id === window.client_id, 'the ledger names other clients');
  const found = new Set(idsIn(seen[0]));
  must(search.records.length === found.size && search.records.every((record) => found.has(record.id)), 'the ledger has other hits');
  const shown = window.records.flatMap((record) => record.fields.map((field) => [record.id, field.field_path, field.size, field.ranges]));
  must(JSON.stringify(shown) === JSON.stringify([[id, 'text', size, [[0, size]]]]), 'the ledger has another window');
}

// The Inspector's command line has no model: it signs in by itself, and its only call is the read.
const kInspector = fileURLToPath(
    new URL('../clients/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js', import.meta.url));
async function inspector(page) {
  const call = ['--method', 'tools/call', '--tool-name', 'query_records', '--tool-args-json', JSON.stringify({stream: 'notes', fields: ['title'], limit: 3})];
  const since = Date.now();
  const {said, asked, fault} = await run([node22(), kInspector, '--cli', address, '--transport', 'http', ...call, '--format', 'json'], page, {MCP_AUTO_OPEN_ENABLED: 'true'});
  if (!asked || fault || !said.includes('title')) throw new Error(`${fault}\n${said.slice(-2500)}\n${fixture.log().slice(-1500)}`);
  const entries = await disclosed(since, 1);
  if (entries.length !== 1 || entries[0].name !== 'query_records') throw new Error(`the ledger has ${JSON.stringify(entries)}`);
}

const tally = new CheckCounter(), missing = [];
try {
  const page = await fixture.visitor();
  await signInByLink(page, fixture);
  if (only.length === 0 || only.includes('inspector')) {
    if (existsSync(kInspector)) await tally.check('connect, the Inspector signs in and reads', () => inspector(page));
    else missing.push('inspector (npm ci in tests/clients)');
  }
  for (const [name, host] of Object.entries(hosts)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const there = await run([name, '--version'], page);
    if (there.code !== 0) {
      missing.push(name);
      continue;
    }
    let connected = false;
    const version = there.said.trim().split('\n').at(-1);
    await tally.check(`connect, ${name} ${version}`, async () => {
      host.before?.();
      if (host.document) {
        fixture.ladder.run(['client', 'add', host.document, '--name', name, ...redirects.flatMap((uri) => ['--redirect', uri])]);
      }
      let pages = 0, told = '';
      for (const words of host.steps()) {
        const step = await run(words, page, asked[name].env);
        if (step.asked) ++pages;
        if (step.fault) throw new Error(`${step.fault}\n$ ${words.join(' ')}\n${step.said.slice(-1500)}\n${fixture.log().slice(-1200)}`);
        told += `$ ${words.join(' ')}\n${step.said.slice(-1500)}\n`;
      }
      if (pages !== 1) throw new Error(`it asked for ${pages} pages\n${told}\n${fixture.log().slice(-1200)}`);
      connected = true;
    });
    if (connected) await tally.check(`a question, ${name} ${version}`, () => askedAndRead(name, page));
  }
} finally {
  await model.close();
  await fixture.close();
}
if (missing.length > 0) console.log(`not installed, so not tested: ${missing.join(', ')}`);
if (tally.passed + tally.failed > 0) tally.end();
