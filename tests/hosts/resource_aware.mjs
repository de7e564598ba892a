// A host that follows resource URIs: from a result's _meta, from links, and built from templates. It reads with the
// tool what a resource does not return; only records, streams and bytes are available as resources alone.
import {open} from './wire.mjs';

const {connection, task} = JSON.parse(process.argv[2]);
const wire = await open(connection);
const kOne = 'dev.pdpp/resource', kMany = 'dev.pdpp/resources';

const call = ({tool, args}) => wire.request('tools/call', {name: tool, arguments: args});
// Returns null if the resource can't be read.
const readUri = (uri) => wire.request('resources/read', {uri}).catch(() => null);

// Reads a window from a resource or, failing that, with the tool.
async function windowAt({uri, step}) {
  const read = await readUri(uri);
  if (!read) {
    const {structuredContent: {record, field, window}, _meta} = await call(step);
    const onward = (cursor, next) =>
        (cursor ? {uri: next, step: {tool: 'read_record_field', args: {id: record.id, field_path: field.path, cursor}}} : null);
    return {
      record,
      field,
      window,
      next: onward(window.next_cursor, _meta[kOne].next_uri),
      previous: onward(window.previous_cursor, _meta[kOne].previous_uri)
    };
  }
  const {record, field, window, resource} = JSON.parse(read.contents.find((one) => one.mimeType === 'application/json').text);
  if (resource.next_uri !== read._meta[kOne].next_uri) throw new Error('the two places of the next URI disagree');
  if (!read.contents.find((one) => one.mimeType === 'text/plain').text.startsWith(`{"id":${JSON.stringify(record.id)}`))
    throw new Error('no readable text');
  const onward = (cursor, next) =>
      (next ? {uri: next, step: {tool: 'read_record_field', args: {id: record.id, field_path: field.path, cursor}}} : null);
  return {
    record,
    field,
    window,
    next: onward(window.next_cursor, resource.next_uri),
    previous: onward(window.previous_cursor, resource.previous_uri)
  };
}

async function wholeField(from) {
  const first = await windowAt(from);
  let {text} = first.window;
  for (let at = first.previous; at;) {
    const there = await windowAt(at);
    text = there.window.text + text;
    at = there.previous;
  }
  for (let at = first.next; at;) {
    const there = await windowAt(at);
    text += there.window.text;
    at = there.next;
  }
  return {key: `${first.record.id} ${first.field.path}`, text};
}

async function allBytes(from) {
  const parts = [];
  for (let uri = from; uri;) {
    const read = await readUri(uri);
    if (!read) return null;
    parts.push(Buffer.from(read.contents[0].blob, 'base64'));
    uri = read._meta[kOne].next_uri;
  }
  return Buffer.concat(parts).toString('base64');
}

const {tools} = await wire.request('tools/list');
const {resourceTemplates} = await wire.request('resources/templates/list');
const {resources: listed} = await wire.request('resources/list');
const fields = {};
for (let args = {query: task.query, limit: 3}; args;) {
  const {structuredContent: page, _meta} = await call({tool: 'search', args});
  for (const [at, {id, fields: [{uri}]}] of _meta[kMany].entries()) {
    if (page.results[at].id !== id) throw new Error('_meta and results disagree');
    const [{read: step}] = page.content_ladder.records[at].field_windows;
    const {key, text} = await wholeField({uri, step});
    fields[key] = text;
  }
  args = page.data.has_more ? {query: task.query, limit: 3, cursor: page.data.next_cursor} : null;
}

// Builds a URI from the template and an id.
const [first] = Object.keys(fields).filter((key) => key.includes('zib-1')).map((key) => key.split(' ')[0]);
const fromTemplate = (name, value) =>
    resourceTemplates.find((one) => one.name.endsWith(name)).uriTemplate.replace(/\{\w+\}/, encodeURIComponent(value));
const record = await readUri(fromTemplate('record', first));
const stream = await readUri(fromTemplate('stream', 'glimfers'));
const document = await call({tool: 'fetch', args: {id: first}});
const bytes = await allBytes(document.structuredContent.content_ladder.binary_fields[0].resource);
const links = [];
for (const item of document.content.filter((one) => one.type === 'resource_link')) links.push(await readUri(item.uri));

await wire.close();
const parsed = (read) => (read ? JSON.parse(read.contents[0].text) : null);
console.log(JSON.stringify({
  tools: tools.map((tool) => tool.name),
  listed,
  fields,
  bytes,
  record: parsed(record)?.id ?? null,
  stream: parsed(stream)?.name ?? null,
  links: links.map((read) => parsed(read)?.id ?? null),
}));
