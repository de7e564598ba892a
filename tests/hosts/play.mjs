// Plays the hundred queries of bench/relevance/life with a scripted client: it searches, then follows the printed calls
// in order, five calls in all, and stops when it has read the answer. Three clients differ in what they see: the text
// of results, structuredContent, or the URIs in _meta that resources/read takes. A query is answered when the client
// has read one of the literal answers of answers.tsv, each of which is part of a record with the judges' best grade.
//   node play.mjs LADDER [--misses]
import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {Ladder} from './fixture/ladder.mjs';
import {CheckCounter} from './fixture/check_counter.mjs';
import {open} from './wire.mjs';

const kRoot = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const kLife = join(kRoot, 'demo', 'life'), kQuestions = join(kRoot, 'bench', 'relevance', 'life');
const kMaxCalls = 5, kBestGrade = 3;
const kLeastAnswered = 85, kMedianCalls = 2, kMedianBytes = 5000;

// Normalizes owner text in JSON strings, in markup and across line ends.
const plain = (text) => text.replace(/\\n|\\"/g, ' ').replace(/\s+/g, ' ');
const linesOf = (file) => readFileSync(join(kQuestions, file), 'utf8').trim().split('\n');

function questions() {
  const grades = linesOf('judgments.tsv').map((line) => line.split('\t'));
  const answers = new Map(linesOf('answers.tsv').map((line) => line.split('\t')).map(([id, all]) => [id, all.split('|').map(plain)]));
  return linesOf('queries.ndjson').map((line) => JSON.parse(line)).map(({id, text}) => ({
    id,
    text,
    answers: answers.get(String(id)),
    judged: grades.filter(([question, , grade]) => question === String(id) && Number(grade) === kBestGrade).map(([, name]) => name),
  }));
}

// Names imported records by what no import changes, as bench/relevance_collection.cpp does.
function nameOf(stream, data) {
  if (stream === 'messages' && data.chat) return `chat:${data.author}@${data.sent_at.slice(0, 16)}`;
  if (stream === 'messages') return `mail:${data.message_id}`;
  if (stream === 'attachments') return `attachment:${data.file_name}`;
  return `${stream.slice(0, -1)}:${data.path}`;
}

const keyOf = (...parts) => JSON.stringify(parts);

function recordsByName(ladder) {
  const named = new Map();
  for (const {connection_id: connection, streams} of ladder.run(['connection', 'list']).connections) {
    for (const {name: stream} of streams) {
      for (let cursor; cursor !== null;) {
        const page = ladder.run(['records', stream, '--connection', connection, '--limit', '100', ...(cursor ? ['--cursor', cursor] : [])]);
        for (const {id, data} of page.data) named.set(nameOf(stream, data), {key: keyOf(connection, stream, id), data});
        cursor = page.next_cursor ?? null;
      }
    }
  }
  return named;
}

// Returns the calls that a text prints outside of the owner's text, in order.
function printedCalls(text) {
  const outside = text.replace(/⟪owner-data (\w+)⟫[^]*?⟪end owner-data \1⟫/g, '');
  return [...outside.matchAll(/(\w+) args=(\{(?:[^{}"]|"(?:[^"\\]|\\.)*"|\{[^{}]*\})*\})/g)].flatMap(([, tool, args]) => {
    try {
      return [{tool, args: JSON.parse(args)}];
    } catch {
      return [];
    }
  });
}

// Returns every {tool, args} of a JSON value, in member order.
function callsIn(value) {
  if (value === null || typeof value !== 'object') return [];
  if (typeof value.tool === 'string' && value.args) return [{tool: value.tool, args: value.args}];
  return Object.values(value).flatMap(callsIn);
}

// Each kind of client sees one part of a result and follows the calls in it.
const classes = {
  'content-only': ({content}) => {
    const seen = content.filter((item) => item.type === 'text').map((item) => item.text).join('\n');
    return {seen, next: printedCalls(seen)};
  },
  'structured-only': ({structuredContent}) => ({seen: JSON.stringify(structuredContent), next: callsIn(structuredContent)}),
  'resource-aware': ({content, contents, _meta}) => {
    // A window comes as plain text and as JSON; a record comes as JSON only.
    const [first] = contents ?? content;
    const seen = first.text;
    const uris = (_meta?.['dev.pdpp/resources'] ?? []).map(({record_uri: record, fields}) => fields?.[0]?.uri ?? record);
    const {next_uri: on} = _meta?.['dev.pdpp/resource'] ?? {};
    return {seen, next: [...uris, on].filter(Boolean).map((uri) => ({uri}))};
  },
};

async function play(wire, see, {text, answers}) {
  const queue = [{tool: 'search', args: {query: text}}], asked = new Set();
  let read = '', bytes = 0, calls = 0;
  while (queue.length > 0 && calls < kMaxCalls) {
    const call = queue.shift();
    if (asked.has(JSON.stringify(call))) continue;
    asked.add(JSON.stringify(call));
    ++calls;
    const result = call.uri ? await wire.request('resources/read', {uri: call.uri}) :
                              await wire.request('tools/call', {name: call.tool, arguments: call.args});
    assert.ok(!result.isError, `${JSON.stringify(call)}: ${result.content?.[0]?.text}`);
    const {seen, next} = see(result);
    bytes += Buffer.byteLength(seen);
    read += ' ' + plain(seen);
    if (answers.some((answer) => read.includes(answer))) return {answered: true, calls, bytes};
    queue.push(...next);
  }
  return {answered: false, calls, bytes};
}

// Returns why a query was not answered: the answer's record was not on the page, was too far down, or was read without
// the answer.
async function causeOf(wire, {text, judged}, named) {
  const {structuredContent: {content_ladder: {records = []} = {}}} =
      await wire.request('tools/call', {name: 'search', arguments: {query: text}});
  const keys = judged.map((name) => named.get(name).key);
  const rank = records.findIndex((one) => keys.includes(keyOf(one.connection_id, one.stream, one.record_id))) + 1;
  if (rank === 0) return `not among ${records.length} hits`;
  return rank >= kMaxCalls ? `hit ${rank}, beyond ${kMaxCalls} calls` : `hit ${rank}, its printed call does not lead to the answer`;
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

const [program, ...flags] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'ladder-play-'));
const tally = new CheckCounter();
try {
  const ladder = new Ladder(program, join(folder, 'ladder.db'), folder);
  ladder.run(['init']);
  ladder.run(['import', join(kLife, 'mail.mbox'), join(kLife, 'chats'), join(kLife, 'notes')]);
  const named = recordsByName(ladder);
  const asked = questions();
  await tally.check('a hundred questions have their answers in judged records', () => {
    assert.equal(asked.length, 100);
    for (const {id, answers, judged} of asked) {
      assert.ok(judged.some((name) => answers.some((answer) => plain(JSON.stringify(named.get(name).data)).includes(answer))), `question ${id}`);
    }
  });
  const streams = ['mail/messages', 'mail/attachments', 'whatsapp/messages', 'notes-notes/notes', 'notes-notes/documents'];
  const {token} = ladder.run(['grant', 'create', '--client', 'play', ...streams.flatMap((stream) => ['--stream', stream])]);
  for (const [name, see] of Object.entries(classes)) {
    const wire = await open({command: [program, 'mcp'], env: {...ladder.env, LADDER_TOKEN: token}, era: 'modern'});
    const played = [];
    for (const question of asked) played.push({question, ...(await play(wire, see, question))});
    const done = played.filter(({answered}) => answered);
    const calls = median(played.map((one) => one.calls)), bytes = median(played.map((one) => one.bytes));
    console.log(`${name}: ${done.length} of ${played.length} answered; median ${calls} call(s), ${bytes} bytes`);
    for (const {question} of played.filter(({answered}) => !answered))
      console.log(`  miss ${question.id} ${question.text}: ${await causeOf(wire, question, named)}`);
    await wire.close();
    await tally.check(`${name}: printed calls lead to the answer`, () => {
      assert.ok(done.length >= kLeastAnswered, `${done.length} of ${played.length} answered`);
      assert.ok(calls <= kMedianCalls, `${calls} calls`);
      if (name !== 'structured-only') assert.ok(bytes <= kMedianBytes, `${bytes} bytes`);
    });
  }
} finally {
  rmSync(folder, {recursive: true, force: true});
}
tally.end();
