// Forty tasks over the demo's store (find, count, compare, read to the end, follow a thread, open an attachment, cite),
// played by a scripted model that sees the text of results, and by one that sees structuredContent. The costs are
// counted: calls, and bytes that the model sees. The expected answers come from the store's source files.
//   node tasks.mjs LADDER GENERATE
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

import {Ladder} from './fixture/ladder.mjs';
import {CheckCounter} from './fixture/check_counter.mjs';
import {open} from './wire.mjs';

const kMedianCalls = 3, kMedianBytes = 6000;

// A model of one kind: what it sees of a result, and how it parses that.
class Model {
  constructor(wire, sees) {
    Object.assign(this, {wire, sees, calls: 0, bytes: 0});
  }
  async ask(tool, args) {
    const {content, structuredContent, isError} = await this.wire.request('tools/call', {name: tool, arguments: args});
    const text = content.map((item) => item.text).join('\n');
    this.calls += 1;
    this.bytes += Buffer.byteLength(this.sees === 'text' || isError ? text : JSON.stringify(structuredContent));
    assert.ok(!isError, text);
    return {text, data: structuredContent};
  }
  get byText() {
    return this.sees === 'text';
  }
  // Returns the records of a page, as far as they are shown.
  async records(args) {
    const {text, data} = await this.ask('query_records', args);
    if (!this.byText) return {records: data.data.data.map((one) => one.data), count: data.data.meta.count.value};
    const records = text.split('\n').map((line) => /^\d+\. id=\S+ complete=\w+ (\{.*\})$/.exec(line)).filter(Boolean);
    return {records: records.map(([, json]) => JSON.parse(json)), count: Number(/count=exact:(\d+)/.exec(text)?.[1])};
  }
  // Returns the first hit: its snippet, and the call that reads on from there.
  async firstHit(args) {
    const {text, data} = await this.ask('search', args);
    if (this.byText) {
      const [, snippet, tool, call] = /^1\. .*?snippet=("(?:[^"\\]|\\.)*") .*?(\w+) args=(\{.*?\})(?: |$)/m.exec(text);
      return {snippet: JSON.parse(snippet), read: {tool, args: JSON.parse(call)}};
    }
    const [{field_windows: [{preview_text: snippet, read}]}] = data.content_ladder.records;
    return {snippet, read};
  }
  async window({tool, args}) {
    const {text, data} = await this.ask(tool, args);
    if (!this.byText) return {body: data.window.text, next: data.window.next_cursor && {tool, args: {...pick(args), cursor: data.window.next_cursor}}};
    const [, key] = /^⟪owner-data (\w+)⟫$/m.exec(text);
    const begin = `\n⟪owner-data ${key}⟫\n`;
    const next = /^next: (\w+) args=(\{.*\})$/m.exec(text.slice(0, text.indexOf(begin)));
    return {
      body: text.slice(text.indexOf(begin) + begin.length, text.lastIndexOf(`\n⟪end owner-data ${key}⟫`)),
      next: next && {tool: next[1], args: JSON.parse(next[2])}
    };
  }
  // Returns one record as a document; both renderings are the same JSON.
  async document(args) {
    const {text, data} = await this.ask('fetch', args);
    return this.byText ? JSON.parse(text) : data;
  }
}

const pick = ({id, field_path}) => ({id, field_path});
const linesOf = (file) => readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line).data);
const newestFirst = (time) => (a, b) => (a[time] < b[time] ? 1 : -1);

// {name, play(model), answer}: the model's result must equal the answer.
function tasksOver({mails, notes, documents}) {
  const mail = {stream: 'messages', connection_id: 'mail-home'};
  const people = [...new Set(mails.map(({from}) => from))].sort();
  const of = (person) => mails.filter(({from}) => from === person).sort(newestFirst('sent_at'));
  const count = async (model, filter) => (await model.records({...mail, filter, fields: ['id'], count: 'exact', limit: 1})).count;
  const tasks = [];
  const add = (name, answer, play) => tasks.push({name, answer, play});
  for (const person of people.slice(0, 8))
    add(`count: mails from ${person}`, of(person).length, (model) => count(model, {from: person}));
  for (const person of people.slice(0, 6))
    add(`find: the last subject of ${person}`, of(person)[0].subject, async (model) => {
      const {records} = await model.records({...mail, filter: {from: person}, fields: ['subject', 'sent_at'], limit: 1});
      return records[0].subject;
    });
  for (let at = 0; at < 4; ++at) {
    const [one, other] = [people[at], people[at + 1]];
    add(`compare: ${one} and ${other}`, of(one).length > of(other).length, async (model) =>
        (await count(model, {from: one})) > (await count(model, {from: other})));
  }
  for (const {id, thread_id} of mails.slice(100, 106))
    add(`follow the thread of ${id}`, mails.filter((one) => one.thread_id === thread_id).map((one) => one.id), async (model) => {
      const {metadata, text} = await model.document({id: `mail-home/messages:${id}`, fields: ['thread_id']});
      const thread = metadata.fields?.thread_id ?? /^thread_id: (\S+)$/m.exec(text)[1];
      const {records} = await model.records({...mail, filter: {thread_id: thread}, fields: ['id', 'from', 'subject'], order: 'asc'});
      return records.map((one) => one.id);
    });
  for (const {id, body} of mails.filter((one) => [...one.body].length > 200).slice(0, 6)) {
    const phrase = [...body].slice(0, 24).join('').trim().split(' ').slice(0, 3).join(' ');
    add(`cite: ${id}`, true, async (model) => {
      const {snippet, read} = await model.firstHit({query: `"${phrase}"`, streams: ['messages'], connection_id: 'mail-home', limit: 2});
      const words = read.tool === 'fetch' ? JSON.stringify(await model.document(read.args)) : (await model.window(read)).body;
      return words.includes(snippet.slice(0, 40)) && snippet.length > 0;
    });
  }
  for (const {id, body} of [...mails].sort((a, b) => b.body.length - a.body.length).slice(0, 4))
    add(`read to the end: ${id}`, body, async (model) => {
      let whole = '';
      for (let step = {tool: 'read_record_field', args: {id: `mail-home/messages:${id}`, field_path: 'body', limit_chars: 16384}}; step;) {
        const {body: part, next} = await model.window(step);
        whole += part;
        step = next;
      }
      return whole;
    });
  for (const {id, scan} of documents.slice(1, 4))
    add(`open the attachment of ${id}`, {type: 'application/pdf', bytes: Buffer.from(scan, 'base64').length}, async (model) => {
      const {metadata} = await model.document({id: `notes-home/documents:${id}`, fields: ['title', 'scan']});
      const [{mime_type: type, size_bytes: bytes, resource}] = metadata.binary_fields;
      assert.ok(resource.startsWith('pdpp://blob/'));
      return {type, bytes};
    });
  const pinned = notes.filter((one) => one.pinned).sort(newestFirst('updated_at'));
  for (let at = 0; at < 3; ++at)
    add(`find: pinned note ${at + 1}`, pinned[at].title, async (model) => {
      const {records} = await model.records(
          {stream: 'notes', connection_id: 'notes-home', filter: {pinned: true}, fields: ['title'], limit: at + 1});
      return records[at].title;
    });
  return tasks;
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

const [program, generate] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'ladder-tasks-'));
const tally = new CheckCounter();
try {
  assert.equal(spawnSync(generate, [folder]).status, 0, 'the fictional owner');
  const ladder = new Ladder(program, join(folder, 'ladder.db'), folder);
  ladder.run(['init']);
  for (const source of ['mail', 'chat', 'notes']) {
    ladder.run(['source', 'add', join(folder, `${source}.json`)]);
    ladder.run(['connection', 'add', source, '--id', `${source}-home`, '--name', `My ${source}`]);
  }
  for (const [connection, stream, file] of [
         ['mail-home', 'messages', 'mail-messages'], ['chat-home', 'messages', 'chat-messages'], ['notes-home', 'notes', 'notes'],
         ['notes-home', 'documents', 'documents']
       ])
    ladder.run(['ingest', '--connection', connection, '--stream', stream, join(folder, `${file}.ndjson`)]);
  const {token} = ladder.run([
    'grant', 'create', '--client', 'tasks', '--stream', 'mail-home/messages', '--stream', 'notes-home/notes', '--stream',
    'notes-home/documents', '--stream', 'chat-home/messages'
  ]);
  const tasks = tasksOver({
    mails: linesOf(join(folder, 'mail-messages.ndjson')),
    notes: linesOf(join(folder, 'notes.ndjson')),
    documents: linesOf(join(folder, 'documents.ndjson'))
  });
  await tally.check('there are forty tasks', () => assert.equal(tasks.length, 40));
  for (const sees of ['text', 'structured']) {
    const wire = await open({command: [program, 'mcp'], env: {...ladder.env, LADDER_TOKEN: token}, era: 'modern'});
    const calls = [], bytes = [];
    for (const {name, answer, play} of tasks) {
      await tally.check(`${sees}: ${name}`, async () => {
        const model = new Model(wire, sees);
        assert.deepEqual(await play(model), answer);
        calls.push(model.calls);
        bytes.push(model.bytes);
      });
    }
    await wire.close();
    console.log(`${sees}: median ${median(calls)} call(s), ${median(bytes)} bytes; most ${Math.max(...calls)} and ${Math.max(...bytes)}`);
    await tally.check(`${sees}: the median task is cheap`, () => {
      assert.ok(median(calls) <= kMedianCalls, `${median(calls)} calls`);
      assert.ok(median(bytes) <= kMedianBytes, `${median(bytes)} bytes`);
    });
  }
} finally {
  rmSync(folder, {recursive: true, force: true});
}
tally.end();
