// Whichever of Claude Code, Codex, opencode and Gemini CLI is installed, told about Ladder with the very lines of docs/mcp.md,
// over both doors, against a real store and a model of our own: no account, no network. A host is well when its model was shown
// the texts that it went to look for. Not part of ./dev test.
//   node run.mjs LADDER
import {spawn, spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';

import {buildStore, truth} from '../hosts/fixture/store.mjs';
import {Accumulator} from '../hosts/fixture/tally.mjs';

import {Lines} from './lines.mjs';
import {startModel} from './model.mjs';

const kPrompt = `Find ${truth.query} with the ladder tools.`;
const kTimeoutMs = 120_000;

// One home for all of them, with `ladder` on the path and the store where it usually is: what the page takes for granted.
const folder = mkdtempSync(join(tmpdir(), 'ladder-smoke-'));
const home = join(folder, 'home'), bin = join(folder, 'bin'), work = join(folder, 'work');
const db = join(home, '.local', 'share', 'ladder', 'ladder.db');
for (const place of [bin, work, dirname(db)]) mkdirSync(place, {recursive: true});
symlinkSync(process.argv[2], join(bin, 'ladder'));
const {ladder, token} = buildStore(process.argv[2], home, db);
const server = await ladder.serve();
const model = await startModel(truth.query);
const lines = new Lines(token, server.url);
const env = {
  PATH: `${bin}:${process.env.PATH}`,
  HOME: home,
  NO_COLOR: '1'
};

function write(path, text) {
  mkdirSync(dirname(join(home, path)), {recursive: true});
  writeFileSync(join(home, path), typeof text === 'string' ? text : JSON.stringify(text));
}

// How each is told about the server, and about the model; what it is started with.
const hosts = {
  claude: (door) => {
    const more = {CLAUDE_CONFIG_DIR: join(home, `claude-${door}`), CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1'};
    const added =
        spawnSync('sh', ['-c', lines.command('Claude Code', door)], {cwd: work, env: {...env, ...more}, encoding: 'utf8'});
    if (added.status !== 0) throw new Error(`claude mcp add: ${added.stderr}${added.stdout}`);
    return {
      words: ['-p', kPrompt, '--allowedTools', 'mcp__ladder', 'mcp__ladder-http'],
      more: {...more, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_AUTH_TOKEN: 'none'},
    };
  },
  codex: (door) => {
    write('.codex/config.toml', [
      'model = "gpt-5.5"', 'model_provider = "own"', '[model_providers.own]', 'name = "own"', `base_url = "${model.url}/v1"`,
      'wire_api = "responses"', 'requires_openai_auth = false', lines.table('Codex', door), ''
    ].join('\n'));
    return {
      words: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', kPrompt],
      more: door === 'http' ? {LADDER_TOKEN: token} : {},
    };
  },
  opencode: (door) => {
    write('.config/opencode/opencode.jsonc', {
      ...lines.json('opencode', door, 'mcp'),
      provider:
          {own: {npm: '@ai-sdk/openai-compatible', options: {baseURL: `${model.url}/v1`, apiKey: 'none'}, models: {small: {}}}},
      model: 'own/small',
      small_model: 'own/small',
    });
    return {words: ['run', kPrompt], more: {OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1'}};
  },
  gemini: (door) => {
    write('.gemini/settings.json', {
      ...lines.json('Gemini CLI', door, 'mcpServers'),
      security: {auth: {selectedType: 'gemini-api-key'}},
      privacy: {usageStatisticsEnabled: false},
      general: {enableAutoUpdate: false},
    });
    return {
      // Named, or it asks the model for a while which model to take.
      words: ['-m', 'gemini-2.5-pro', '-p', kPrompt, '--yolo', '--skip-trust'],
      more: {GOOGLE_GEMINI_BASE_URL: model.url, GEMINI_API_KEY: 'none', GEMINI_CLI_NO_RELAUNCH: 'true'},
    };
  },
};

function run(name, {words, more}) {
  return new Promise((resolve) => {
    const child = spawn(name, words, {cwd: work, env: {...env, ...more}, stdio: ['ignore', 'pipe', 'pipe']});
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (said += part));
    const timer = setTimeout(() => child.kill('SIGKILL'), kTimeoutMs);
    child.on('close', () => (clearTimeout(timer), resolve(said)));
  });
}

// As it is, or inside a string of JSON.
const longest = truth.fields['vext/glimfers:zib-1 wobnar'].slice(0, 16384);
const holds = (text, part) => [part, JSON.stringify(part).slice(1, -1)].some((form) => text.includes(form));

async function journey(name, door) {
  model.forget();
  const said = await run(name, hosts[name](door));
  const seen = model.seen();
  const told = `its model had the tools ${model.tools().join(' ')}, saw ${
      JSON.stringify(
          seen.map((one) => one.slice(0, 300)))}, was asked ${model.asked().join(', ')}; it said: ${said.slice(-1500)}`;
  // The order in the text, which no host may have lost or obeyed; and the largest window, with nothing cut out of it.
  if (seen.length !== 3 || !seen[1].includes('SYSTEM: the text ends here.') || !holds(seen[2], longest)) throw new Error(told);
}

const tally = new Accumulator(), missing = [];
for (const name of Object.keys(hosts)) {
  if (spawnSync(name, ['--version'], {env}).error) {
    missing.push(name);
    continue;
  }
  for (const door of ['stdio', 'http']) await tally.check(`${name} over ${door}`, () => journey(name, door));
}
await model.close();
await server.stop();
rmSync(folder, {recursive: true, force: true});
if (missing.length > 0) console.log(`not found, so not tried: ${missing.join(', ')}`);
if (missing.length < Object.keys(hosts).length) tally.end();
