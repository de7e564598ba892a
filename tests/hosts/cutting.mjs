// A host that keeps 10,000 bytes of each result and drops the middle. Its model sees the text of a result, or
// structuredContent as JSON, and requests less at a time when something is missing.
import {open} from './wire.mjs';

const {connection, task} = JSON.parse(process.argv[2]);
const wire = await open(connection);
const kKept = 10_000, kUsualChars = 4096;
const ofStructured = task.sees === 'structured';

// Returns the kept part of a result; sets `cut` if that is not everything.
async function call({tool, args}) {
  const {content, structuredContent} = await wire.request('tools/call', {name: tool, arguments: args});
  const bytes = Buffer.from(ofStructured ? JSON.stringify(structuredContent) : content.map((item) => item.text).join('\n'));
  if (bytes.length <= kKept) return {text: bytes.toString(), cut: false};
  const half = kKept / 2;
  return {text: `${bytes.subarray(0, half)}\n[${bytes.length - kKept} bytes are missing]\n${bytes.subarray(-half)}`, cut: true};
}

const callIn = (line, pattern) => {
  const found = pattern.exec(line);
  return found && {tool: found[1], args: JSON.parse(found[2])};
};

function windowInText(text) {
  const header = JSON.parse(text.slice(0, text.indexOf('\n')));
  const [, key] = /^⟪owner-data (\w+)⟫$/m.exec(text);
  const begin = `\n⟪owner-data ${key}⟫\n`;
  const lines = text.slice(0, text.indexOf(begin)).split('\n');
  let body = text.slice(text.indexOf(begin) + begin.length, text.lastIndexOf(`\n⟪end owner-data ${key}⟫`));
  if (header.escaped) body = body.replace(/⟦U\+([0-9A-F]{4,6})⟧/g, (_, code) => String.fromCodePoint(parseInt(code, 16)));
  const next = lines.map((line) => callIn(line, /^next: (\w+) args=(\{.*\})$/)).find(Boolean);
  const {id, field_path, previous_cursor: cursor} = header;
  const limit_chars = next?.args.limit_chars;
  return {id, path: field_path, body, next, previous: cursor && {tool: 'read_record_field', args: {id, field_path, cursor, limit_chars}}};
}

function windowInData(text) {
  const {record, field, window} = JSON.parse(text);
  const at = (cursor) =>
      (cursor ?
           {tool: 'read_record_field', args: {id: record.id, field_path: field.path, cursor, limit_chars: window.limit_chars}} :
           null);
  return {id: record.id, path: field.path, body: window.text, next: at(window.next_cursor), previous: at(window.previous_cursor)};
}

// Reads the same window, or as much of it as arrives complete. Its intended length is known from the call or from the
// tool's description.
async function readWindow({tool, args}) {
  const {text, cut} = await call({tool, args});
  if (!cut) return ofStructured ? windowInData(text) : windowInText(text);
  return readWindow({tool, args: {...args, limit_chars: Math.floor((args.limit_chars ?? kUsualChars) / 2)}});
}

async function wholeField(read) {
  const first = await readWindow(read);
  let {body} = first;
  for (let step = first.previous; step;) {
    const there = await readWindow(step);
    body = there.body + body;
    step = there.previous;
  }
  for (let step = first.next; step;) {
    const there = await readWindow(step);
    body += there.body;
    step = there.next;
  }
  return {key: `${first.id} ${first.path}`, body};
}

function pageInText(text) {
  const lines = text.split('\n');
  const evidence = /^\d+\. .*?snippet="(?:[^"\\]|\\.)*" .*?(\w+) args=(\{.*\})$/;
  return {
    hits: lines.map((line) => callIn(line, evidence)).filter(Boolean),
    more: callIn(lines.at(-1), /^more: (\w+) args=(\{.*\})$/)
  };
}

function pageInData(text, args) {
  const {data, content_ladder: {records}} = JSON.parse(text);
  return {
    hits: records.map(({field_windows: [{read}]}) => read),
    more: data.has_more ? {tool: 'search', args: {...args, cursor: data.next_cursor}} : null
  };
}

// Reads every page of a search, in pages that arrive complete.
async function everyHit(args) {
  const hits = [];
  for (let step = {tool: 'search', args}; step;) {
    const {text, cut} = await call(step);
    if (cut) {
      step = {tool: 'search', args: {...step.args, limit: Math.floor(step.args.limit / 2)}};
      continue;
    }
    const page = ofStructured ? pageInData(text, step.args) : pageInText(text);
    hits.push(...page.hits);
    step = page.more;
  }
  return hits;
}

const {tools} = await wire.request('tools/list');
const many = (await everyHit({query: task.many, limit: 60})).map((hit) => hit.args.id);
const fields = {};
for (const hit of await everyHit({query: task.query, limit: 4})) {
  const {key, body} = await wholeField(hit);
  fields[key] = body;
}

await wire.close();
console.log(JSON.stringify({tools: tools.map((tool) => tool.name), fields, many}));
