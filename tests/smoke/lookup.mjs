// Asks Claude Code and Codex, if installed, for tools in the words that people use: each phrase must find the tool that
// fits, among the tools of another server (decoys.mjs). The lookup is the host's own; our model supplies the search
// words.
//   node lookup.mjs LADDER [HOST]…
import {spawn, spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';

import {buildStore} from '../hosts/fixture/store.mjs';
import {CheckCounter} from '../hosts/fixture/check_counter.mjs';

import {hostsWith} from './hosts.mjs';
import {DocumentedConfig} from './documented_config.mjs';
import {startModel} from './model.mjs';

const kTimeoutMs = 120_000;
const phrases = [
  ['email', 'search'],
  ['my emails', 'search'],
  ['inbox', 'search'],
  ['calendar events', 'search'],
  ['chats', 'search'],
  ['chat messages', 'search'],
  ['notes', 'search'],
  ['contacts', 'search'],
  ['documents', 'search'],
  ['search my files', 'search'],
  ['how many emails', 'aggregate'],
  ['open an email', 'fetch'],
];

const folder = mkdtempSync(join(tmpdir(), 'ladder-lookup-'));
const home = join(folder, 'home'), bin = join(folder, 'bin'), work = join(folder, 'work');
const db = join(home, '.local', 'share', 'ladder', 'ladder.db');
for (const place of [bin, work, dirname(db)]) mkdirSync(place, {recursive: true});
symlinkSync(process.argv[2], join(bin, 'ladder'));
const {token} = buildStore(process.argv[2], home, db);
const env = {
  PATH: `${bin}:${process.env.PATH}`,
  HOME: home,
  NO_COLOR: '1',
  ENABLE_TOOL_SEARCH: 'true',  // otherwise Claude Code hides tools only if there are very many
};
const model = await startModel((results, found) => (found.length < phrases.length ? {words: phrases[found.length][0]} : null),
                               phrases.length);
const lines = new DocumentedConfig(token, '');
const asked = hostsWith(model, home);
const decoys = new URL('decoys.mjs', import.meta.url).pathname;
const setUp = {
  claude: () => {
    spawnSync('sh', ['-c', lines.command('Claude Code', 'stdio')], {cwd: work, env});
    spawnSync('claude', ['mcp', 'add', '--scope', 'user', 'decoys', '--', process.execPath, decoys], {cwd: work, env});
  },
  codex: () => {
    const [path, text] = asked.codex.file(
        `${lines.table('Codex', 'stdio')}\n[mcp_servers.decoys]\ncommand = "${process.execPath}"\nargs = ["${decoys}"]\n`);
    mkdirSync(dirname(join(home, path)), {recursive: true});
    writeFileSync(join(home, path), text);
  },
};

function run(name) {
  return new Promise((resolve) => {
    const child = spawn(
        name, asked[name].ask('Look for tools.'), {cwd: work, env: {...env, ...asked[name].env}, stdio: ['ignore', 'pipe', 'pipe']});
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (said += part));
    const timer = setTimeout(() => child.kill('SIGKILL'), kTimeoutMs);
    child.on('close', () => (clearTimeout(timer), resolve(said)));
  });
}

const tally = new CheckCounter(), missing = [], only = process.argv.slice(3);
for (const name of Object.keys(setUp)) {
  if (only.length > 0 && !only.includes(name)) continue;
  if (spawnSync(name, ['--version'], {env}).error) {
    missing.push(name);
    continue;
  }
  model.forget();
  setUp[name]();
  const said = await run(name);
  if (process.env.LADDER_SEEN) console.log(JSON.stringify({name, found: model.found()}));
  // A tool that is loaded from the start needs no lookup.
  const loaded = model.tools(), found = model.found();
  const ready = (tool) => loaded.some((one) => one.endsWith(tool) && one.includes('ladder') && !found.flat().includes(one));
  for (const [number, [phrase, tool]] of phrases.entries()) {
    await tally.check(`${name} finds ${tool} by "${phrase}"`, () => {
      const brought = found[number] ?? [];
      if (ready(tool) || brought.some((one) => one.endsWith(tool))) return;
      throw new Error(`brought ${JSON.stringify(found[number])}; loaded were ${loaded.join(' ')}; it said: ${said.slice(-800)}`);
    });
  }
}
await model.close();
rmSync(folder, {recursive: true, force: true});
if (missing.length > 0) console.log(`not installed, so not tested: ${missing.join(', ')}`);
if (missing.length < Object.keys(setUp).length) tally.end();
