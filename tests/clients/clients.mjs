// The official clients against `ladder mcp` and `ladder serve`: SDK 1.x, and the 2.x client in both eras. The clients
// validate the protocol, including structuredContent against the output schemas.
//   node clients.mjs LADDER
import {Client as Client2, StreamableHTTPClientTransport as Http2} from '@modelcontextprotocol/client';
import {StdioClientTransport as Stdio2} from '@modelcontextprotocol/client/stdio';
import {Client as Client1} from '@modelcontextprotocol/sdk/client/index.js';
import {StdioClientTransport as Stdio1} from '@modelcontextprotocol/sdk/client/stdio.js';
import {StreamableHTTPClientTransport as Http1} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

import {buildStore, truth} from '../hosts/fixture/store.mjs';
import {CheckCounter} from '../hosts/fixture/check_counter.mjs';

const kInfo = {
  name: 'ladder-tests',
  version: '1'
};
const kModern = '2026-07-28', kLegacy = '2025-11-25';
const second = (mode) => () => new Client2(kInfo, {versionNegotiation: {mode}});
const kinds = [
  {name: 'sdk 1.x', make: () => new Client1(kInfo), Stdio: Stdio1, Http: Http1, speaks: kLegacy},
  {name: 'client 2.x, legacy', make: second('legacy'), Stdio: Stdio2, Http: Http2, speaks: kLegacy},
  {name: 'client 2.x, auto', make: second('auto'), Stdio: Stdio2, Http: Http2, speaks: kModern},
  {name: 'client 2.x, modern', make: second({pin: kModern}), Stdio: Stdio2, Http: Http2, speaks: kModern},
];

const kSaga = 'vext/glimfers:zib-1';
const kSmall = 'vext/glimfers:zib-3';
const kSlow = {
  name: 'read_record_field',
  arguments: {id: 'plaf/glimfers:vast', field_path: 'grolp', q: 'not in there'}
};
const kCalls = {
  schema: {stream: 'glimfers'},
  query_records: {stream: 'glimfers', limit: 2},
  aggregate: {stream: 'glimfers', metric: 'count', group_by: 'trelk'},
  search: {query: truth.query},
  fetch: {id: kSaga},
  read_record_field: {id: kSmall, field_path: 'wobnar'},
};

// Returns the error that a promise rejects with.
const failure = (promise) => promise.then(() => assert.fail('expected an error'), (error) => error);

async function listsTools({client}) {
  const {tools} = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), Object.keys(kCalls));
  for (const {annotations, inputSchema, outputSchema} of tools) {
    assert.deepEqual(annotations, {readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false});
    assert.equal(inputSchema.type, 'object');
    assert.equal(outputSchema.type, 'object');
  }
}

async function callsEveryTool({client}) {
  await client.listTools();  // from here on the client validates results against the output schemas
  for (const [name, args] of Object.entries(kCalls)) {
    const {content, structuredContent, isError} = await client.callTool({name, arguments: args});
    assert.ok(!isError, `${name}: ${content[0].text}`);
    assert.deepEqual(content.map((item) => item.type), ['text']);
    assert.equal(typeof structuredContent, 'object', name);
  }
  const {structuredContent: {window}} = await client.callTool({name: 'read_record_field', arguments: kCalls.read_record_field});
  assert.equal(window.text, truth.fields[`${kSmall} wobnar`]);
}

async function tellsErrors({client, modern}) {
  await client.listTools();
  const refused = await client.callTool({name: 'read_record_field', arguments: {id: kSmall, field_path: 'hushed'}});
  assert.equal(refused.isError, true);
  assert.equal(refused.structuredContent, undefined);
  assert.equal(JSON.parse(refused.content[0].text.split('\n')[0]).error.code, 'field_not_granted');
  const mistaken = await client.callTool({name: 'search', arguments: {query: 7}});
  assert.equal(JSON.parse(mistaken.content[0].text.split('\n')[0]).error.code, 'invalid_arguments');
  assert.equal((await failure(client.callTool({name: 'no_such_tool', arguments: {}}))).code, -32602);
  const absent = await failure(client.readResource({uri: 'pdpp://record/vext%2Fglimfers%3Aabsent'}));
  assert.ok([-32002, -32602].includes(absent.code), `${absent.code} ${modern}`);
}

async function readsResources({client}) {
  const {resourceTemplates} = await client.listResourceTemplates();
  const kindsThere = ['stream', 'record', 'field-window', 'blob'];
  assert.deepEqual(resourceTemplates.map((one) => /^pdpp:\/\/([a-z-]+)\//.exec(one.uriTemplate)[1]).sort(), kindsThere.sort());
  const streams = (await client.listResources()).resources.map((one) => one.uri).sort();
  assert.deepEqual(streams, ['pdpp://stream/drubs', 'pdpp://stream/glimfers']);
  let {_meta} = await client.callTool({name: 'read_record_field', arguments: {id: kSaga, field_path: 'wobnar'}});
  let text = '';
  for (let uri = _meta['dev.pdpp/resource'].uri; uri; uri = _meta['dev.pdpp/resource'].next_uri) {
    const read = await client.readResource({uri});
    text += JSON.parse(read.contents[1].text).window.text;
    ({_meta} = read);
  }
  assert.equal(text, truth.fields[`${kSaga} wobnar`]);
}

// Returns the log lines of slow reads.
const slowReads = (log) =>
    log().split('\n').filter((line) => line.includes('"tool":"read_record_field"')).map((line) => JSON.parse(line));

// Waits for the next log line of a slow read; a reply may arrive before its line.
async function lineAfter(log, count) {
  const deadline = Date.now() + 20_000;
  while (slowReads(log).length <= count && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(slowReads(log).length, count + 1, 'the log has the call');
  return slowReads(log).at(-1);
}

// A call that the client cancels ends early in the server, too. The legacy client cancels with a notification, which
// over HTTP belongs to no connection; there only the modern client stops the work, by closing the connection.
async function cancels({client, log, stops}) {
  await new Promise((resolve) => setTimeout(resolve, 300));  // lines of calls before are gathered for up to 50 ms
  const count = slowReads(log).length;
  await client.callTool(kSlow);
  const whole = await lineAfter(log, count);
  const stop = new AbortController();
  const given = failure(client.callTool(kSlow, ...(client instanceof Client1 ? [undefined] : []), {signal: stop.signal}));
  await new Promise((resolve) => setTimeout(resolve, whole.duration_ms / 10));
  stop.abort();
  assert.ok(/abort|cancel/i.test(String(await given)), 'the client gave up');
  const last = await lineAfter(log, count + 1);
  if (stops) {
    assert.equal(last.outcome, 'cancelled');
    assert.ok(last.duration_ms < whole.duration_ms * 0.8, `it went on for ${last.duration_ms} of ${whole.duration_ms} ms`);
  }
  assert.equal((await client.callTool({name: 'schema', arguments: {}})).isError ?? false, false, 'the connection still works');
}

const journeys = {
  'lists the tools': listsTools,
  'calls every tool': callsEveryTool,
  'tells errors': tellsErrors,
  'reads resources': readsResources,
  'cancels': cancels,
};

async function run(tally, name, kind, transport, log, stops) {
  const client = kind.make();
  const modern = kind.speaks === kModern;
  await tally.check(`${name}, connects`, async () => {
    await client.connect(transport);
    assert.equal(client.getServerVersion().name, 'ladder');
    assert.match(client.getInstructions(), /read_record_field/);
    if (kind.Http === Http2) assert.equal(client.getNegotiatedProtocolVersion(), kind.speaks);
  });
  for (const [what, journey] of Object.entries(journeys))
    await tally.check(`${name}, ${what}`, () => journey({client, modern, log, stops}));
  await client.close();
}

const program = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), 'ladder-clients-'));
const tally = new CheckCounter();
const {ladder, token} = buildStore(program, folder, join(folder, 'ladder.db'));
// A text that takes a while to search.
const vast = {
  id: 'vast',
  grolp: 'lorvash mindle plonter grabe '.repeat(2_000_000)
};
ladder.run(['ingest', '--connection', 'plaf', '--stream', 'glimfers'], JSON.stringify({key: 'vast', data: vast}) + '\n');
const server = await ladder.serve();
try {
  for (const kind of kinds) {
    const stdio = new kind.Stdio({command: program, args: ['mcp'], env: {...ladder.env, LADDER_TOKEN: token}, stderr: 'pipe'});
    let said = '';
    stdio.stderr.setEncoding('utf8').on('data', (part) => (said += part));
    await run(tally, `${kind.name}, stdio`, kind, stdio, () => said, true);
    const http = new kind.Http(new URL(server.url), {requestInit: {headers: {Authorization: `Bearer ${token}`}}});
    await run(tally, `${kind.name}, http`, kind, http, server.log, kind.speaks === kModern);
  }
} finally {
  await server.stop();
  rmSync(folder, {recursive: true, force: true});
}
tally.end();
