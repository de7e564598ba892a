// The MCP Inspector's command line lists and calls the tools over both transports and in both eras.
//   node inspector.mjs LADDER
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {buildStore, truth} from '../hosts/fixture/store.mjs';
import {CheckCounter} from '../hosts/fixture/check_counter.mjs';

import {node22} from './node22.mjs';

const kInspector =
    join(dirname(fileURLToPath(import.meta.url)), 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');

const program = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), 'ladder-inspector-'));
const tally = new CheckCounter();
const {ladder, token} = buildStore(program, folder, join(folder, 'ladder.db'));
const server = await ladder.serve();

function inspect(words) {
  return new Promise((resolve) => {
    const child = spawn(node22(), [kInspector, '--cli', ...words], {
      env: {...ladder.env, LADDER_TOKEN: token, NO_COLOR: '1'},
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '', err = '';
    child.stdout.setEncoding('utf8').on('data', (part) => (out += part));
    child.stderr.setEncoding('utf8').on('data', (part) => (err += part));
    child.on('close', (code) => resolve({code, out, err}));
  });
}

// Returns the printed JSON.
async function answer(words) {
  const {code, out, err} = await inspect([...words, '--format', 'json']);
  assert.equal(code, 0, `${words.join(' ')}: ${err}${out}`);
  const told = JSON.parse(out);
  return told.result ?? told;
}

const call = (tool, args) => ['--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args)];
const ways = {
  'stdio, legacy': [program, 'mcp', '-e', `LADDER_TOKEN=${token}`, '-e', `LADDER_DB=${ladder.env.LADDER_DB}`],
  'http, legacy': [server.url, '--transport', 'http', '--header', `Authorization: Bearer ${token}`],
  'http, modern': [server.url, '--transport', 'http', '--protocol-era', 'modern', '--header', `Authorization: Bearer ${token}`],
};
try {
  await Promise.all(Object.entries(ways).map(async ([name, way]) => {
    await tally.check(`inspector, ${name}, lists the tools`, async () => {
      const {tools} = await answer([...way, '--method', 'tools/list', '--strict']);
      assert.deepEqual(
          tools.map((tool) => tool.name), ['schema', 'query_records', 'aggregate', 'search', 'fetch', 'read_record_field']);
    });
    await tally.check(`inspector, ${name}, searches`, async () => {
      const {structuredContent} = await answer([...way, ...call('search', {query: truth.query})]);
      assert.equal(structuredContent.results.length, Object.keys(truth.fields).length);
    });
    await tally.check(`inspector, ${name}, reads a field`, async () => {
      const {structuredContent} =
          await answer([...way, ...call('read_record_field', {id: 'vext/glimfers:zib-3', field_path: 'wobnar'})]);
      assert.equal(structuredContent.window.text, truth.fields['vext/glimfers:zib-3 wobnar']);
    });
    await tally.check(`inspector, ${name}, sees a refusal`, async () => {
      const {code} = await inspect([...way, ...call('read_record_field', {id: 'vext/glimfers:zib-3', field_path: 'hushed'})]);
      assert.equal(code, 5, 'its exit code for a tool that failed');
    });
  }));
} finally {
  await server.stop();
  rmSync(folder, {recursive: true, force: true});
}
tally.end();
