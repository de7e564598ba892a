// A host whose model sees only the text of tool results: no structuredContent, no _meta, no resources.
import {open} from './wire.mjs';

const {connection, task} = JSON.parse(process.argv[2]);
const wire = await open(connection);

async function call({tool, args}) {
  const result = await wire.request('tools/call', {name: tool, arguments: args});
  return result.content.filter((item) => item.type === 'text').map((item) => item.text).join('\n');
}

// Printed calls are on separate lines, outside of the owner's text.
const callIn = (line, pattern) => {
  const found = pattern.exec(line);
  return found && {tool: found[1], args: JSON.parse(found[2])};
};

function searchPage(text) {
  const lines = text.split('\n');
  const evidence =
      /^\d+\. .*?snippet="(?:[^"\\]|\\.)*" (?:complete |cut )?[\d./]* ?(\w+) args=(\{.*?\})(?: also_matched=\S+)?$/;
  return {
    hits: lines.map((line) => callIn(line, evidence)).filter(Boolean),
    more: callIn(lines.at(-1), /^more: (\w+) args=(\{.*\})$/),
  };
}

// The header is the first line; the owner's text is between two lines with the same key, the second of which is the
// last line.
function windowIn(text) {
  const header = JSON.parse(text.slice(0, text.indexOf('\n')));
  const [, key] = /^⟪owner-data (\w+)⟫$/m.exec(text);
  const begin = `\n⟪owner-data ${key}⟫\n`, end = `\n⟪end owner-data ${key}⟫`;
  if (!text.endsWith(end)) throw new Error('the window has no end');
  const head = text.slice(0, text.indexOf(begin)).split('\n').slice(1);
  let body = text.slice(text.indexOf(begin) + begin.length, text.length - end.length);
  if (header.escaped) body = body.replace(/⟦U\+([0-9A-F]{4,6})⟧/g, (_, code) => String.fromCodePoint(parseInt(code, 16)));
  if ([...body].length !== header.end_chars - header.start_chars)
    throw new Error(`the window holds ${[...body].length} chars: ${JSON.stringify(header)}`);
  // Forward by the printed call, back by the header's cursor.
  const next = head.map((line) => callIn(line, /^next: (\w+) args=(\{.*\})$/)).find(Boolean);
  const {id, field_path, previous_cursor: cursor} = header;
  return {header, body, next, previous: cursor && {tool: 'read_record_field', args: {id, field_path, cursor}}};
}

// Reads from the end of a window to the end of the field.
async function onward(window) {
  let body = '';
  for (let step = window.next; step;) {
    const there = windowIn(await call(step));
    body += there.body;
    step = there.next;
  }
  return body;
}

// Reads from any window to both ends of the field.
async function wholeField(read) {
  const first = windowIn(await call(read));
  let body = first.body;
  for (let step = first.previous; step;) {
    const there = windowIn(await call(step));
    body = there.body + body;
    step = there.previous;
  }
  return {key: `${first.header.id} ${first.header.field_path}`, body: body + (await onward(first))};
}

async function restOfField(read) {
  const first = windowIn(await call(read));
  return first.body + (await onward(first));
}

const {tools} = await wire.request('tools/list');
const fields = {};
for (let step = {tool: 'search', args: {query: task.query, limit: 3}}; step;) {
  const page = searchPage(await call(step));
  for (const hit of page.hits) {
    const {key, body} = await wholeField(hit);
    fields[key] = body;
  }
  step = page.more;
}

// Reads the same record by other calls: what a list and a document cut is read with the call printed next to it.
const rest = {};
const list = await call({tool: 'query_records', args: {stream: 'glimfers', connection_id: 'vext', limit: 1}});
const cut =
    list.split('\n').map((line) => callIn(line, /^ {3}truncated field=\S+ chars=\S+ of \d+ (\w+) args=(\{.*\})$/)).find(Boolean);
rest.list = await restOfField(cut);
const document = JSON.parse(await call({tool: 'fetch', args: {id: cut.args.id}}));
rest.document = await restOfField(document.metadata.fields_more[0].read);

await wire.close();
console.log(JSON.stringify({tools: tools.map((tool) => tool.name), fields, rest}));
