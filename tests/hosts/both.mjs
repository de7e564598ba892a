// A host that shows its model both parts of a result: both must contain the same.
import {open} from './wire.mjs';

const {connection, task} = JSON.parse(process.argv[2]);
const wire = await open(connection);

const same = (what, one, other) => {
  if (JSON.stringify(one) !== JSON.stringify(other))
    throw new Error(`${what}: ${JSON.stringify(one)} is not ${JSON.stringify(other)}`);
};

async function call({tool, args}) {
  const {content, structuredContent} = await wire.request('tools/call', {name: tool, arguments: args});
  return {text: content[0].text, data: structuredContent};
}

async function readWindow(step) {
  const {text, data: {record, field, window}} = await call(step);
  const header = JSON.parse(text.split('\n', 1)[0]);
  same(
      'the header',
      [
        header.id, header.field_path, header.start_chars, header.end_chars, header.size_chars, header.complete,
        header.next_cursor, header.previous_cursor
      ],
      [
        record.id, field.path, window.start_chars, window.end_chars, field.size_chars, window.complete, window.next_cursor,
        window.previous_cursor
      ]);
  const [, key] = /^⟪owner-data (\w+)⟫$/m.exec(text);
  const begin = `\n⟪owner-data ${key}⟫\n`, end = `\n⟪end owner-data ${key}⟫`;
  let shown = text.slice(text.indexOf(begin) + begin.length, text.lastIndexOf(end));
  if (header.escaped) shown = shown.replace(/⟦U\+([0-9A-F]{4,6})⟧/g, (_, code) => String.fromCodePoint(parseInt(code, 16)));
  same('the window', shown, window.text);
  return {record, field, window};
}

async function wholeField(step) {
  const {record, field, window} = await readWindow(step);
  const at = (cursor) => readWindow(
      {tool: 'read_record_field', args: {id: record.id, field_path: field.path, cursor, limit_chars: window.limit_chars}});
  let {text} = window;
  for (let {previous_cursor: cursor} = window; cursor;) {
    const there = (await at(cursor)).window;
    text = there.text + text;
    cursor = there.previous_cursor;
  }
  for (let {next_cursor: cursor} = window; cursor;) {
    const there = (await at(cursor)).window;
    text += there.text;
    cursor = there.next_cursor;
  }
  return {key: `${record.id} ${field.path}`, text};
}

const {tools} = await wire.request('tools/list');
const fields = {};
for (let step = {tool: 'search', args: {query: task.query, limit: 3}}; step;) {
  const {text, data} = await call(step);
  const lines = text.split('\n');
  for (const [at, result] of data.results.entries()) {
    const [excerpt] = result.evidence_excerpts;
    const [, snippet, tool, args] = /^\d+\. .*?snippet=("(?:[^"\\]|\\.)*") .*?(\w+) args=(\{.*\})$/.exec(lines[at]);
    same('the snippet', JSON.parse(snippet), excerpt.preview_text);
    if (!excerpt.preview_text.includes(task.query)) throw new Error(`the snippet does not show the match: ${snippet}`);
    const [{read}] = data.content_ladder.records[at].field_windows;
    same('the call', {tool, args: JSON.parse(args)}, read);
    const whole = await wholeField(read);
    fields[whole.key] = whole.text;
  }
  const more = /^more: (\w+) args=(\{.*\})$/.exec(lines.at(-1));
  same('has_more', Boolean(more), data.data.has_more);
  step = more && {tool: more[1], args: JSON.parse(more[2])};
  if (step) same('the cursor', step.args.cursor, data.data.next_cursor);
}

await wire.close();
console.log(JSON.stringify({tools: tools.map((tool) => tool.name), fields}));
