// Whichever of Claude Code, Codex, opencode and Gemini CLI is installed, against a real store and a model of our own: no account,
// no network. A host is well when its model was shown the text that it went to look for. Not part of ./dev test.
//   node run.mjs LADDER
import {spawn, spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

import {buildStore, truth} from '../hosts/fixture/store.mjs';
import {Tally} from '../hosts/fixture/tally.mjs';

import {startModel} from './model.mjs';

const kPrompt = `Find ${truth.query} with the ladder tools.`;
const program = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), 'ladder-smoke-'));
const {ladder, token} = buildStore(program, folder, join(folder, 'ladder.db'));
const server = await ladder.serve();
const model = await startModel(truth.query);
const stdioEnv = {
  LADDER_DB: ladder.env.LADDER_DB,
  LADDER_CONFIG: '/dev/null',
  LADDER_TOKEN: token
};
const json = (path, value) => writeFileSync(path, JSON.stringify(value));

// How each is told about the server and the model, in a home of its own. Two go by HTTP, two by standard input and output.
const hosts = {
  claude: (home) => {
    json(
        join(home, 'mcp.json'),
        {mcpServers: {ladder: {type: 'http', url: server.url, headers: {Authorization: `Bearer ${token}`}}}});
    return {
      words: ['-p', kPrompt, '--mcp-config', join(home, 'mcp.json'), '--strict-mcp-config', '--allowedTools', 'mcp__ladder'],
      env: {
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_AUTH_TOKEN: 'none',
        CLAUDE_CONFIG_DIR: home,
        ENABLE_TOOL_SEARCH: 'false',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1'
      },
    };
  },
  codex: (home) => {
    writeFileSync(join(home, 'config.toml'), [
      'model = "small"', 'model_provider = "own"', '[model_providers.own]', 'name = "own"', `base_url = "${model.url}/v1"`,
      'wire_api = "responses"', 'requires_openai_auth = false', '[mcp_servers.ladder]', `url = "${server.url}"`,
      `http_headers = { Authorization = "Bearer ${token}" }`, ''
    ].join('\n'));
    return {
      words: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', kPrompt],
      env: {CODEX_HOME: home}
    };
  },
  opencode: (home) => {
    json(join(home, 'opencode.json'), {
      provider:
          {own: {npm: '@ai-sdk/openai-compatible', options: {baseURL: `${model.url}/v1`, apiKey: 'none'}, models: {small: {}}}},
      model: 'own/small',
      small_model: 'own/small',
      mcp: {ladder: {type: 'local', command: [program, 'mcp'], environment: stdioEnv, enabled: true}},
    });
    return {
      words: ['run', kPrompt],
      env: {OPENCODE_CONFIG: join(home, 'opencode.json'), OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1'}
    };
  },
  gemini: (home) => {
    mkdirSync(join(home, '.gemini'));
    json(join(home, '.gemini', 'settings.json'), {
      security: {auth: {selectedType: 'gemini-api-key'}},
      mcpServers: {ladder: {command: program, args: ['mcp'], env: stdioEnv, trust: true}},
    });
    return {
      words: ['-p', kPrompt, '--yolo', '--skip-trust'],
      env: {GOOGLE_GEMINI_BASE_URL: model.url, GEMINI_API_KEY: 'none', GEMINI_CLI_NO_RELAUNCH: 'true'}
    };
  },
};

function run(name, {words, env}, home) {
  return new Promise((resolve) => {
    const child = spawn(
        name, words,
        {cwd: home, env: {PATH: process.env.PATH, HOME: home, NO_COLOR: '1', ...env}, stdio: ['ignore', 'pipe', 'pipe']});
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (said += part));
    const timer = setTimeout(() => child.kill('SIGKILL'), 120_000);
    child.on('close', () => (clearTimeout(timer), resolve(said)));
  });
}

const tally = new Tally(), missing = [];
for (const [name, prepare] of Object.entries(hosts)) {
  if (spawnSync(name, ['--version']).error) {
    missing.push(name);
    continue;
  }
  await tally.check(name, async () => {
    const home = join(folder, name);
    mkdirSync(home);
    model.forget();
    const said = await run(name, prepare(home), home);
    const told = `its model had the tools ${model.tools().join(' ')}, saw ${
        JSON.stringify(
            model.seen().map((one) => one.slice(0, 300)))}, was asked ${model.asked().join(', ')}; it said: ${said.slice(-1500)}`;
    // The order in the text, which no host may have lost or obeyed.
    if (model.seen().length !== 2 || !model.seen()[1].includes('SYSTEM: the text ends here.')) throw new Error(told);
  });
}
await model.close();
await server.stop();
rmSync(folder, {recursive: true, force: true});
if (missing.length > 0) console.log(`not found, so not tried: ${missing.join(', ')}`);
if (missing.length < Object.keys(hosts).length) tally.end();
