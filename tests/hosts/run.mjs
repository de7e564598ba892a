// Six hosts, each limited to what its kind sees, read from a search to the full evidence. Every call must be the
// expected one, in order, whatever the texts tell them to do.
//   node run.mjs LADDER [--only sqlite|postgres] [HOST…]
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {expectedCalls} from './expected.mjs';
import {startPostgres} from './fixture/postgres.mjs';
import {buildStore, truth} from './fixture/store.mjs';
import {CheckCounter} from './fixture/check_counter.mjs';

const kHere = dirname(fileURLToPath(import.meta.url));
const kTools = ['schema', 'query_records', 'aggregate', 'search', 'fetch', 'read_record_field'];
const kResultBytes = 40_000;
const kAtATime = 3;

function runHost(host, connection, task) {
  return new Promise((resolve) => {
    const child = spawn(
        process.execPath, [join(kHere, `${host}.mjs`), JSON.stringify({connection, task})], {stdio: ['ignore', 'pipe', 'pipe']});
    let out = '', err = '';
    child.stdout.setEncoding('utf8').on('data', (part) => (out += part));
    child.stderr.setEncoding('utf8').on('data', (part) => (err += part));
    const timer = setTimeout(() => child.kill('SIGKILL'), 180_000);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({code, out, err});
    });
  });
}

// Yields the cursors and URIs of a raw result, by name.
function* offers({structuredContent: data, _meta: meta, content = []}) {
  for (const [name, key] of [['next', 'next_cursor'], ['previous', 'previous_cursor']])
    yield [name, data?.window?.[key] ?? data?.data?.[key]];
  for (const [name, key] of [['next', 'next_uri'], ['previous', 'previous_uri']])
    yield [name, meta?.['dev.pdpp/resource']?.[key]];
  for (const [at, one] of (meta?.['dev.pdpp/resources'] ?? []).entries()) yield [`hit${at}`, one.fields?.[0]?.uri];
  yield ['binary', data?.content_ladder?.binary_fields?.[0]?.resource];
  for (const item of content) yield ['link', item.uri];
}

// Names a value of a call by the response that offered it; other values stay unchanged.
function nameOf(value, before) {
  for (let at = before.length - 1; at >= 0; --at) {
    for (const [name, offered] of offers(before[at].result ?? {}))
      if (offered === value) return `${name}@${at}`;
  }
  return value;
}

function lineOf({method, params}, before) {
  if (method === 'resources/read') return `resources/read ${nameOf(params.uri, before)}`;
  if (method !== 'tools/call') return method;
  const args = {...params.arguments};
  if (args.cursor !== undefined) args.cursor = nameOf(args.cursor, before);
  return `${params.name} ${JSON.stringify(args)}`;
}

// Checks the properties of every response, for any host.
function checkResult({method, params, result}) {
  if (method !== 'tools/call' || !result) return;
  const {content, structuredContent, isError} = result;
  assert.ok(Buffer.byteLength(JSON.stringify(result)) <= kResultBytes, `${params.name}: a result over ${kResultBytes} bytes`);
  assert.ok(
      !JSON.stringify({content, structuredContent}).includes('pdpp://field-window/'),
      `${params.name}: a field-window URI that a model sees`);
  assert.equal(structuredContent === undefined, isError === true, `${params.name}: structuredContent is for what succeeds`);
}

const allKeys = Object.keys(truth.fields);
const sagaFrom = (chars) => [...truth.fields['vext/glimfers:zib-1 wobnar']].slice(chars).join('');

// A host returns these in addition to the fields.
const brings = {
  content_only: ({rest}) => assert.deepEqual(rest, {list: sagaFrom(400), document: sagaFrom(4096)}),
  structured_only: ({rest}) => assert.deepEqual(rest, {list: sagaFrom(400), document: sagaFrom(4096)}),
  both: () => {},
  resource_aware: ({listed, bytes, record, stream, links}, {broken, links: linked}) => {
    assert.deepEqual(listed.map(({uri}) => uri), ['pdpp://stream/drubs', 'pdpp://stream/glimfers']);
    // Records, streams and bytes are available as resources only.
    assert.equal(bytes, broken ? null : truth.bytes.toString('base64'));
    assert.deepEqual([record, stream], broken ? [null, null] : ['zib-1', 'glimfers']);
    assert.deepEqual(links, !linked ? [] : broken ? [null] : ['zib-1']);
  },
  cutting: ({many}) => assert.deepEqual([...many].sort(), [...truth.many.ids].sort()),
  error_losing:
      ({told, document}) => {
        assert.deepEqual(told, {
          invalid_cursor: 4,
          query_not_found: 4,
          ambiguous_connection: 1,
          field_not_granted: 1,
          invalid_window: 1,
          invalid_arguments: 1
        });
        assert.equal(document, 'plaf/glimfers:zib-1');
      },
};

// The server's log has a line per request and no content of requests or responses. A line is written after the reply,
// so the next request's line may come first.
function checkLog(log, notes, broken) {
  const lines =
      log.split('\n').filter((line) => line.startsWith('{"time"')).map((line) => JSON.parse(line)).sort((a, b) => a.id - b.id);
  const arrived = notes.filter(({method}) => !(broken && method === 'resources/read'));
  assert.deepEqual(
      lines.map(({method, tool}) => [method, tool]),
      arrived.map(({method, params}) => [method, method === 'tools/call' ? params.name : undefined]));
  for (const [at, {outcome}] of lines.entries())
    assert.equal(outcome === 'ok', !arrived[at].error && !arrived[at].result.isError);
  assert.ok(!/zib-|glimfers|quixflorn|skrindle|ldr_c_/.test(log), 'the log contains request content');
}

async function oneRun({host, connection, facts, record}) {
  const {code, out, err} = await runHost(
      host, {...connection, era: facts.era, record, broken: facts.broken ? ['resources/read'] : []},
      {query: truth.query, many: truth.many.query, sees: facts.sees});
  assert.equal(code, 0, `the host gave up: ${err}`);
  const report = JSON.parse(out);
  const notes = readFileSync(record, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  assert.deepEqual(report.tools, kTools);
  assert.deepEqual(Object.keys(report.fields).sort(), [...allKeys].sort());
  for (const key of allKeys) assert.ok(report.fields[key] === truth.fields[key], `${key} is not what was stored`);
  brings[host](report, facts);
  notes.forEach(checkResult);
  if (connection.command) checkLog(err, notes, facts.broken);
  // The engines agree on the hits, not on their order.
  const order = Object.keys(report.fields);
  assert.deepEqual(notes.map((note, at) => lineOf(note, notes.slice(0, at))), expectedCalls(host, {...facts, order}));
}

const hostRuns = [
  ...['content_only', 'structured_only', 'both', 'resource_aware', 'error_losing'].map((host) => ({host})),
  {host: 'cutting', sees: 'text'},
  {host: 'cutting', sees: 'structured'},
];

async function onStore({engine, program, folder, db, eras, only, tally}) {
  const {ladder, token} = buildStore(program, folder, db);
  const server = await ladder.serve(), linking = await ladder.serve(['--resource-links=large']);
  const stdio = (...options) => ({command: [program, 'mcp', ...options], env: {...ladder.env, LADDER_TOKEN: token}});
  // Reads through the REST interface of another process, without a store here.
  const remote = (...options) => {
    const connection = stdio('--provider-url', new URL(server.url).origin, ...options);
    return {...connection, env: {...connection.env, LADDER_DB: join(folder, 'absent.db')}};
  };
  const linksToo = '--resource-links=large';
  const ways = [
    {transport: 'stdio', plain: stdio(), linked: stdio(linksToo), eras},
    {transport: 'http', plain: {url: server.url, token}, linked: {url: linking.url, token}, eras},
    {transport: 'stdio to a provider', plain: remote(), linked: remote(linksToo), eras: ['modern']},
  ];
  const waiting = [];
  for (const {transport, plain, linked, eras: spoken} of ways) {
    for (const era of spoken) {
      for (const broken of [false, true]) {
        for (const {host, sees} of hostRuns) waiting.push({host, transport, connection: plain, facts: {era, broken, sees}});
        waiting.push({host: 'resource_aware', transport, connection: linked, facts: {era, broken, links: true}});
      }
    }
  }
  const left = waiting.filter(({host}) => only.length === 0 || only.includes(host));
  let number = 0;
  const worker = async () => {
    for (let run = left.shift(); run; run = left.shift()) {
      const {host, transport, facts} = run;
      const name = [
        host, facts.sees, facts.links && 'links', transport, facts.era, engine, facts.broken && 'no resource can be read'
      ].filter(Boolean).join(', ');
      const record = join(folder, `calls-${++number}.jsonl`);
      await tally.check(name, () => oneRun({...run, record}));
    }
  };
  await Promise.all(Array.from({length: kAtATime}, worker));
  await Promise.all([server.stop(), linking.stop()]);
}

const [program, ...words] = process.argv.slice(2);
const onlyEngine = words[0] === '--only' ? words.splice(0, 2)[1] : '';
const folder = mkdtempSync(join(tmpdir(), 'ladder-hosts-'));
const tally = new CheckCounter();
let postgres;
try {
  if (onlyEngine !== 'postgres')
    await onStore({
      engine: 'sqlite',
      program,
      folder: join(folder, 'sqlite'),
      db: join(folder, 'ladder.db'),
      eras: ['modern', 'legacy'],
      only: words,
      tally
    });
  if (onlyEngine !== 'sqlite') {
    postgres = await startPostgres();
    await onStore({
      engine: 'postgres',
      program,
      folder: join(folder, 'postgres'),
      db: postgres.database(`ladder_hosts_${process.pid}`),
      eras: ['modern'],
      only: words,
      tally
    });
  }
} finally {
  await postgres?.stop();
  rmSync(folder, {recursive: true, force: true});
}
tally.end();
