// The calls that each host makes on the store of fixture/store.mjs, one per line. Cursors and URIs from the server are
// named by their origin: next@7 is the next cursor (or URI) of the response to call 7.
import {truth} from './fixture/store.mjs';

const kWindow = 4096, kBlob = 24 * 1024;
const charsOf = (key) => [...truth.fields[key]].length;
// The read of a hit starts here: at 0 of a field that fits into one window, otherwise shortly before the match (at
// 16252 and 7228).
const kEvidenceAt = {
  'vext/glimfers:zib-1 wobnar': 16035,
  'plaf/glimfers:zib-2 wobnar': 6907,
  'vext/glimfers:zib-3 wobnar': 0,
  'plaf/glimfers:zib-4 trelk': 0
};
// In this field 4096 chars are too many for the host that cuts results. Of a search it keeps the pages that arrive
// complete: how few hits it must request, and how many such pages there are.
const kTooLong = 'plaf/glimfers:zib-2 wobnar';
const kManyHits = {
  text: {limits: [60], pages: 2},
  structured: {limits: [60, 30, 15, 7], pages: 9}
};

class Script {
  lines = [];
  add(what, args) {
    this.lines.push(args === undefined ? what : `${what} ${JSON.stringify(args)}`);
    return this.lines.length - 1;
  }
}

// How many steps back and forward a window at `from` needs.
const steps = (key, from, limit) =>
    ({back: Math.ceil(from / limit), on: Math.max(0, Math.ceil((charsOf(key) - from - limit) / limit))});

// `step(direction, of)` adds the call that continues call `of`.
function walk(first, {back, on}, step) {
  for (let of = first, n = 0; n < back; ++n) of = step('previous', of);
  for (let of = first, n = 0; n < on; ++n) of = step('next', of);
}

function begin(era) {
  const script = new Script();
  script.add(era === 'modern' ? 'server/discover' : 'initialize');
  script.add('tools/list');
  return script;
}

// Reads a field to its end with the tool; `limit` is sent with a cursor, if given.
function readWhole(script, key, from, {limit, first = {}} = {}) {
  const [id, field_path] = key.split(' ');
  const start = script.add('read_record_field', {id, field_path, offset_chars: from, ...first});
  walk(
      start, steps(key, from, limit ?? kWindow),
      (direction, of) => script.add(
          'read_record_field', {id, field_path, cursor: `${direction}@${of}`, ...(limit ? {limit_chars: limit} : {})}));
}

// The same by text: forward by the printed calls, which count chars, and back by the header's cursor.
function readByText(script, key, from, {limit, first = {}, back = true} = {}) {
  const [id, field_path] = key.split(' '), small = limit ? {limit_chars: limit} : {};
  const start = script.add('read_record_field', {id, field_path, offset_chars: from, ...first});
  let at = from;
  walk(start, {...steps(key, from, limit ?? kWindow), ...(back ? {} : {back: 0})}, (direction, of) => {
    if (direction === 'previous') return script.add('read_record_field', {id, field_path, cursor: `previous@${of}`, ...small});
    at += limit ?? kWindow;
    return script.add('read_record_field', {id, field_path, offset_chars: at, ...small});
  });
}

// Searches in pages of three and visits each hit.
function inPages(script, order, visit) {
  let page = script.add('search', {query: truth.query, limit: 3});
  order.forEach((key, at) => {
    if (at === 3) page = script.add('search', {query: truth.query, limit: 3, cursor: `next@${page}`});
    visit(key, page, at % 3);
  });
}

function listAndDocument(script, byText) {
  const key = 'vext/glimfers:zib-1 wobnar';
  const onward = (from) => {
    if (byText) return readByText(script, key, from, {back: false});
    const [id, field_path] = key.split(' ');
    const start = script.add('read_record_field', {id, field_path, offset_chars: from});
    walk(
        start, {...steps(key, from, kWindow), back: 0},
        (direction, of) => script.add('read_record_field', {id, field_path, cursor: `${direction}@${of}`}));
  };
  script.add('query_records', {stream: 'glimfers', connection_id: 'vext', limit: 1});
  onward(400);
  script.add('fetch', {id: key.split(' ')[0]});
  onward(4096);
}

const hosts = {
  content_only: (script, {order}) => {
    inPages(script, order, (key) => readByText(script, key, kEvidenceAt[key]));
    listAndDocument(script, true);
  },
  structured_only: (script, {order}) => {
    inPages(script, order, (key) => readWhole(script, key, kEvidenceAt[key]));
    listAndDocument(script);
  },
  both: (script, {order}) => inPages(script, order, (key) => readWhole(script, key, kEvidenceAt[key], {limit: kWindow})),
  resource_aware: (script, {order, broken, links}) => {
    script.add('resources/templates/list');
    script.add('resources/list');
    inPages(script, order, (key, page, at) => {
      const [id, field_path] = key.split(' '), from = kEvidenceAt[key];
      // If resources can't be read, the tool call follows each attempt.
      const read = (uri, args) => {
        const of = script.add(`resources/read ${uri}`);
        return broken ? script.add('read_record_field', {id, field_path, ...args}) : of;
      };
      walk(
          read(`hit${at}@${page}`, {offset_chars: from}), steps(key, from, kWindow),
          (direction, of) => read(`${direction}@${of}`, {cursor: `${direction}@${of}`}));
    });
    script.add('resources/read pdpp://record/vext%2Fglimfers%3Azib-1');
    script.add('resources/read pdpp://stream/glimfers');
    const document = script.add('fetch', {id: 'vext/glimfers:zib-1'});
    let of = script.add(`resources/read binary@${document}`);
    for (let n = 1; !broken && n < Math.ceil(truth.bytes.length / kBlob); ++n) of = script.add(`resources/read next@${of}`);
    if (links) script.add(`resources/read link@${document}`);
  },
  cutting: (script, {order, sees}) => {
    const {limits, pages} = kManyHits[sees];
    let page;
    for (const limit of limits) page = script.add('search', {query: truth.many.query, limit});
    for (let n = 1; n < pages; ++n)
      page = script.add('search', {query: truth.many.query, limit: limits.at(-1), cursor: `next@${page}`});
    script.add('search', {query: truth.query, limit: 4});
    for (const key of order) {
      const [id, field_path] = key.split(' '), from = kEvidenceAt[key], tooLong = key === kTooLong,
                 limit = tooLong ? kWindow / 2 : kWindow;
      if (tooLong) script.add('read_record_field', {id, field_path, offset_chars: from});
      const first = tooLong ? {limit_chars: limit} : {};
      if (sees === 'text') readByText(script, key, from, {limit: tooLong ? limit : undefined, first});
      else readWhole(script, key, from, {limit, first});
    }
  },
  error_losing: (script, {order}) => {
    script.add('search', {query: truth.query, limit: 4});
    for (const key of order) {
      const [id, field_path] = key.split(' ');
      script.add('read_record_field', {id, field_path, cursor: 'AQFB-qTCsBNMYU8HOojWF9Vjor'});
      readWhole(script, key, 0);
      script.add('read_record_field', {id, field_path, q: 'not in there'});
      script.add('read_record_field', {id, field_path, offset_chars: 0});
    }
    const id = order[0].split(' ')[0];
    script.add('fetch', {id: 'glimfers:zib-1'});
    script.add('fetch', {id: 'glimfers:zib-1', connection_id: 'plaf'});
    script.add('read_record_field', {id, field_path: 'hushed'});
    script.add('read_record_field', {id, field_path: 'wobnar', cursor: 'x', q: 'y'});
    script.add('query_records', {stream: 'glimfers', wibble: 1});
  },
};

export function expectedCalls(host, facts) {
  const script = begin(facts.era);
  hosts[host](script, facts);
  return script.lines;
}
