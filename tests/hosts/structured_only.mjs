// A host whose program sees only structuredContent and never a text.
import {open} from './wire.mjs';

const {connection, task} = JSON.parse(process.argv[2]);
const wire = await open(connection);

async function call({tool, args}) {
  const {structuredContent} = await wire.request('tools/call', {name: tool, arguments: args});
  return structuredContent;
}

const read = (record, field, cursor) => call({tool: 'read_record_field', args: {id: record.id, field_path: field.path, cursor}});

async function onward({record, field, window}) {
  let text = '';
  for (let cursor = window.next_cursor; cursor;) {
    const there = (await read(record, field, cursor)).window;
    text += there.text;
    cursor = there.next_cursor;
  }
  return text;
}

async function wholeField(first) {
  const {record, field, window} = first;
  let text = window.text;
  for (let cursor = window.previous_cursor; cursor;) {
    const there = (await read(record, field, cursor)).window;
    text = there.text + text;
    cursor = there.previous_cursor;
  }
  return {key: `${record.id} ${field.path}`, text: text + (await onward(first))};
}

const isTruncated = (one) => one.preview_status === 'truncated';

const {tools} = await wire.request('tools/list');
const fields = {};
const args = {
  query: task.query,
  limit: 3
};
for (let more = true; more;) {
  const page = await call({tool: 'search', args});
  for (const [at, result] of page.results.entries()) {
    // The content ladder has the same record at the same index.
    const rung = page.content_ladder.records[at];
    const [field] = rung.field_windows;
    const [excerpt] = result.evidence_excerpts;
    if (rung.id !== result.id || excerpt.field_path !== field.field_path || excerpt.preview_text !== field.preview_text)
      throw new Error(`results and ladder disagree about ${result.id}`);
    const {key, text} = await wholeField(await call(field.read));
    fields[key] = text;
  }
  more = page.data.has_more;
  args.cursor = page.data.next_cursor;
}

const rest = {};
const list = await call({tool: 'query_records', args: {stream: 'glimfers', connection_id: 'vext', limit: 1}});
const [listed] = list.content_ladder.records;
const fromList = await call(listed.field_windows.find(isTruncated).read);
rest.list = fromList.window.text + (await onward(fromList));
const document = await call({tool: 'fetch', args: {id: listed.id}});
const fromDocument = await call(document.content_ladder.field_windows.find(isTruncated).read);
rest.document = fromDocument.window.text + (await onward(fromDocument));

await wire.close();
console.log(JSON.stringify({tools: tools.map((tool) => tool.name), fields, rest}));
