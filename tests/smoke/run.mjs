// Tests each installed host of Claude Code, Codex, opencode, Gemini CLI, Qwen Code and Continue, configured with the
// exact lines of docs/start/connect.md, over both transports, against a real store and our own model: no account, no network. A
// host passes if its model saw the requested texts. Not part of ./dev test.
//   node run.mjs LADDER [HOST]…
import {spawn, spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';

import {buildStore, truth} from '../hosts/fixture/store.mjs';
import {CheckCounter} from '../hosts/fixture/check_counter.mjs';

import {hostsWith} from './hosts.mjs';
import {DocumentedConfig} from './documented_config.mjs';
import {idsIn, startModel} from './model.mjs';

const kPrompt = `Find ${truth.query} with the ladder tools.`;
const kTimeoutMs = 120_000;

// One home for all hosts, with `ladder` on the path and the store in its default location, as the page assumes.
const folder = mkdtempSync(join(tmpdir(), 'ladder-smoke-'));
const home = join(folder, 'home'), bin = join(folder, 'bin'), work = join(folder, 'work');
const db = join(home, '.local', 'share', 'ladder', 'ladder.db');
for (const place of [bin, work, dirname(db)]) mkdirSync(place, {recursive: true});
symlinkSync(process.argv[2], join(bin, 'ladder'));
const {ladder, token} = buildStore(process.argv[2], home, db);
const server = await ladder.serve();
// A search, then a short field, then the largest window of a long one.
const model = await startModel((results) => {
  if (results.length === 0) return {tool: 'search', args: {query: truth.query}};
  if (results.length > 2) return null;
  const [record, limit] = results.length === 1 ? ['zib-3', 4096] : ['zib-1', 16384];
  const id = idsIn(results[0]).find((one) => one.endsWith(record));
  return id ? {tool: 'read_record_field', args: {id, field_path: 'wobnar', offset_chars: 0, limit_chars: limit}} : null;
});
const lines = new DocumentedConfig(token, server.url);
const env = {
  PATH: `${bin}:${process.env.PATH}`,
  HOME: home,
  NO_COLOR: '1'
};

function write(path, text) {
  mkdirSync(dirname(join(home, path)), {recursive: true});
  writeFileSync(join(home, path), typeof text === 'string' ? text : JSON.stringify(text));
}

// How each host is configured for the server, and what it needs in addition to the model.
const asked = hostsWith(model, home);
const hosts = {
  claude: (transport) => {
    const more = {CLAUDE_CONFIG_DIR: join(home, `claude-${transport}`)};
    const added =
        spawnSync('sh', ['-c', lines.command('Claude Code', transport)], {cwd: work, env: {...env, ...more}, encoding: 'utf8'});
    if (added.status !== 0) throw new Error(`claude mcp add: ${added.stderr}${added.stdout}`);
    return more;
  },
  codex: (transport) => {
    write(...asked.codex.file(lines.table('Codex', transport)));
    return transport === 'http' ? {LADDER_TOKEN: token} : {};
  },
  opencode: (transport) => write(...asked.opencode.file(lines.json('opencode', transport, 'mcp'))),
  gemini: (transport) => write(...asked.gemini.file(lines.json('Gemini CLI', transport, 'mcpServers'))),
  qwen: (transport) => write(...asked.qwen.file(lines.json('Qwen Code', transport, 'mcpServers'))),
  cn: (transport) => write(...asked.cn.file(lines.yaml('Continue', transport))),
};

function run(name, more) {
  return new Promise((resolve) => {
    const child = spawn(
        name, asked[name].ask(kPrompt), {cwd: work, env: {...env, ...asked[name].env, ...more}, stdio: ['ignore', 'pipe', 'pipe']});
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (said += part));
    const timer = setTimeout(() => child.kill('SIGKILL'), kTimeoutMs);
    child.on('close', () => (clearTimeout(timer), resolve(said)));
  });
}

// The text appears unchanged or inside a JSON string.
const longest = truth.fields['vext/glimfers:zib-1 wobnar'].slice(0, 16384);
const holds = (text, part) => [part, JSON.stringify(part).slice(1, -1)].some((form) => text.includes(form));

async function journey(name, transport) {
  model.forget();
  const said = await run(name, hosts[name](transport));
  const seen = model.seen();
  model.keep(`${name} over ${transport}`);
  const told = `its model had the tools ${model.tools().join(' ')}, saw ${
      JSON.stringify(
          seen.map((one) => one.slice(0, 300)))}, was asked ${model.asked().join(', ')}; it said: ${said.slice(-1500)}`;
  // The text with the embedded order, which no host may drop or obey; and the largest window, uncut.
  if (seen.length !== 3 || !seen[1].includes('SYSTEM: the text ends here.') || !holds(seen[2], longest)) throw new Error(told);
}

const tally = new CheckCounter(), missing = [], only = process.argv.slice(3);
for (const name of Object.keys(hosts)) {
  if (only.length > 0 && !only.includes(name)) continue;
  if (spawnSync(name, ['--version'], {env}).error) {
    missing.push(name);
    continue;
  }
  for (const transport of ['stdio', 'http']) await tally.check(`${name} over ${transport}`, () => journey(name, transport));
}
await model.close();
await server.stop();
rmSync(folder, {recursive: true, force: true});
if (missing.length > 0) console.log(`not installed, so not tested: ${missing.join(', ')}`);
if (missing.length < Object.keys(hosts).length) tally.end();
