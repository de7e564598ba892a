// The hosts that are installed, and the MCP Inspector, go from a pasted address to a read, with Chromium as the owner's hand: sign-in and consent on the
// pages, whatever the host prints or opens. Their own document of a client lies on the internet; where that cannot be fetched, the
// client is entered by hand first, as `ladder client add` does it. Not part of ./dev test.
//   node connect.mjs LADDER [HOST]…
import {spawn} from 'node:child_process';
import {chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {consent, signInByLink, startHouse} from '../browser/house.mjs';
import {node22} from '../clients/node22.mjs';
import {Accumulator} from '../hosts/fixture/tally.mjs';

const kPatienceMs = 90_000;
const [program, ...only] = process.argv.slice(2);
const house = await startHouse(program);
const home = join(house.folder, 'home'), bin = join(house.folder, 'bin'), opened = join(house.folder, 'opened');
for (const place of [home, bin]) mkdirSync(place, {recursive: true});
// What hosts open a page with: it only says which.
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
const address = `${house.base}/mcp`;

function write(path, text) {
  mkdirSync(join(home, path, '..'), {recursive: true});
  writeFileSync(join(home, path), typeof text === 'string' ? text : JSON.stringify(text));
}

// Runs it to its end; a page that it names or opens is answered by the owner.
function run(words, page, more = {}) {
  writeFileSync(opened, '');
  return new Promise((resolve) => {
    const child = spawn(words[0], words.slice(1), {cwd: home, env: {...env, ...more}, stdio: ['pipe', 'pipe', 'pipe']});
    let said = '', answering = null, fault = '', agreed = false;
    const look = () => {
      if (!agreed && /\[Y\/n\]/.test(said)) agreed = child.stdin.write('y\n') || true;
      const text = said.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '') + (existsSync(opened) ? readFileSync(opened, 'utf8') : '');
      const found = /https?:\/\/localhost:\d+\/oauth\/authorize\?[^\s"'│]+/.exec(text);
      if (found && !answering) answering = consent(page, found[0]).catch((error) => (fault = String(error)));
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => ((said += part), look()));
    const watch = setInterval(look, 200);
    const timer = setTimeout(() => child.kill('SIGKILL'), kPatienceMs);
    child.on('error', (error) => (said += error));
    child.on('close', async (code) => {
      clearTimeout(timer);
      clearInterval(watch);
      await answering;
      resolve({code, said, asked: answering !== null, fault});
    });
  });
}

// How each is told about the server, how it signs in, and what it then says when it can read.
const hosts = {
  claude: {
    document: 'https://claude.ai/oauth/claude-code-client-metadata',
    steps: [['claude', 'mcp', 'add', '--scope', 'user', '--transport', 'http', 'ladder', address], ['script', '-qec', 'claude mcp login ladder', '/dev/null']],
    proof: ['claude', 'mcp', 'list'],
    well: /ladder: .*Connected/,
  },
  codex: {
    document: 'https://chatgpt.com/oauth/codex/client.json',
    steps: [['codex', 'mcp', 'add', 'ladder', '--url', address]],
    proof: ['codex', 'mcp', 'list'],
    well: /ladder .*OAuth/,
  },
  opencode: {
    document: 'https://opencode.ai/oauth/opencode/client.json',
    before: () => write('.config/opencode/opencode.json', {mcp: {ladder: {type: 'remote', url: address}}}),
    steps: [['opencode', 'mcp', 'auth', 'ladder']],
    proof: ['opencode', 'mcp', 'list'],
    well: /ladder.*connected/,
  },
  gemini: {
    document: null,
    before: () => write('.gemini/settings.json', {
      mcpServers: {ladder: {httpUrl: address, trust: true, oauth: {enabled: true}}},
      security: {auth: {selectedType: 'gemini-api-key'}, folderTrust: {enabled: false}},
      privacy: {usageStatisticsEnabled: false},
      general: {enableAutoUpdate: false},
    }),
    steps: [['gemini', '-m', 'gemini-2.5-pro', '-p', '/mcp auth ladder', '--skip-trust']],
    proof: ['gemini', 'mcp', 'list'],
    well: /ladder.*Connected/,
  },
};

// The Inspector's command line has no model: it signs in by itself, and its one call is the read.
const kInspector = fileURLToPath(
    new URL('../clients/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js', import.meta.url));
async function inspector(page) {
  const call = ['--method', 'tools/call', '--tool-name', 'query_records', '--tool-args-json', JSON.stringify({stream: 'notes', fields: ['title'], limit: 3})];
  const {said, asked, fault} = await run([node22(), kInspector, '--cli', address, '--transport', 'http', ...call, '--format', 'json'], page, {MCP_AUTO_OPEN_ENABLED: 'true'});
  if (!asked || fault || !said.includes('title')) throw new Error(`${fault}\n${said.slice(-2500)}\n${house.log().slice(-1500)}`);
  // The server sweeps its journal every second.
  for (let tries = 0; tries < 20; ++tries) {
    if (house.ladder.run(['ledger']).data.some((entry) => JSON.stringify(entry).includes('query_records'))) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error('the ledger has no such read');
}

const tally = new Accumulator(), missing = [];
try {
  const page = await house.visitor();
  await signInByLink(page, house);
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
    await tally.check(`connect, ${name} ${there.said.trim().split('\n').at(-1)}`, async () => {
      host.before?.();
      if (host.document) {
        const redirects = ['http://localhost/callback', 'http://127.0.0.1/callback', 'http://127.0.0.1:19876/mcp/oauth/callback'];
        house.ladder.run(['client', 'add', host.document, '--name', name, ...redirects.flatMap((uri) => ['--redirect', uri])]);
      }
      const more = {GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:9', GEMINI_CLI_NO_RELAUNCH: 'true', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1'};
      let asked = false, told = '';
      for (const words of host.steps) {
        const step = await run(words, page, more);
        asked ||= step.asked;
        told += `$ ${words.join(' ')}\n${step.said.slice(-1500)}\n${step.fault}\n`;
      }
      if (!asked) throw new Error(`it asked for no page\n${told}\n${house.log().slice(-1200)}`);
      const proof = await run(host.proof, page, more);
      if (!host.well.test(proof.said)) throw new Error(`${told}\n$ ${host.proof.join(' ')}\n${proof.said.slice(-1500)}\n${house.log().slice(-1500)}`);
    });
  }
} finally {
  await house.close();
}
if (missing.length > 0) console.log(`not found, so not tried: ${missing.join(', ')}`);
if (tally.passed + tally.failed > 0) tally.end();
