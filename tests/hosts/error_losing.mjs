// A host that keeps the structuredContent of a success, but only the text of an error. It makes mistakes, and the text
// must contain the way out of each.
import {open} from './wire.mjs';

const {connection, task} = JSON.parse(process.argv[2]);
const wire = await open(connection);

async function call({tool, args}) {
  const {isError, content, structuredContent} = await wire.request('tools/call', {name: tool, arguments: args});
  if (!isError) return {data: structuredContent};
  return {error: JSON.parse(content[0].text.split('\n')[0]).error, sentence: content[0].text.split('\n')[1]};
}

// Makes an invalid call, then the call that the error suggests.
const told = {};
async function stumble(step, recover = (error) => error.retry) {
  const {error, sentence} = await call(step);
  if (!error || !sentence.startsWith(error.code))
    throw new Error(`expected an error and a sentence: ${JSON.stringify({step, error, sentence})}`);
  told[error.code] = (told[error.code] ?? 0) + 1;
  const way = recover(error);
  return way && (await call(way)).data;
}

async function onward({record, field, window}) {
  let text = '';
  for (let cursor = window.next_cursor; cursor;) {
    const there = (await call({tool: 'read_record_field', args: {id: record.id, field_path: field.path, cursor}})).data.window;
    text += there.text;
    cursor = there.next_cursor;
  }
  return text;
}

const {tools} = await wire.request('tools/list');
const fields = {};
const take = async (first) => {
  if (first.window.start_chars !== 0) throw new Error('the suggested call starts at the beginning');
  fields[`${first.record.id} ${first.field.path}`] = first.window.text + (await onward(first));
};

const {data: page} = await call({tool: 'search', args: {query: task.query, limit: 4}});
for (const {id, evidence_excerpts: [{field_path}]} of page.results) {
  const read = (args) => ({tool: 'read_record_field', args: {id, field_path, ...args}});
  // A forged cursor and absent words: both errors say where to continue.
  const again = await stumble(read({cursor: 'AQFB-qTCsBNMYU8HOojWF9Vjor'}));
  await take(again);
  await stumble(read({q: 'not in there'}));
}

// One record key in two connections: the error names them.
const document = await stumble(
    {tool: 'fetch', args: {id: 'glimfers:zib-1'}},
    (error) => ({tool: 'fetch', args: {id: 'glimfers:zib-1', connection_id: error.available_connections.at(-1).connection_id}}));
// Invalid arguments, and a field that was not granted: the error names the fault and offers no way around it.
await stumble({tool: 'read_record_field', args: {id: page.results[0].id, field_path: 'hushed'}}, () => null);
await stumble({tool: 'read_record_field', args: {id: page.results[0].id, field_path: 'wobnar', cursor: 'x', q: 'y'}}, () => null);
await stumble({tool: 'query_records', args: {stream: 'glimfers', wibble: 1}}, () => null);

await wire.close();
console.log(JSON.stringify({tools: tools.map((tool) => tool.name), fields, told, document: document.id}));
