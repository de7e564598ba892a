// A model server on loopback with the APIs of four vendors and a script instead of a model: it makes the calls of a
// plan in order, then reports that it is done. If a host hides tools until they are looked up, it looks them up. It
// keeps what the host passed on of each tool result, since that is what a model would have seen.
import {writeFileSync} from 'node:fs';
import http from 'node:http';
import {join} from 'node:path';

// Returns the record ids in a tool's result: in a line of text, or in JSON, which a host may have encoded as a string
// again.
export const idsIn = (result) => [...result.replaceAll('\\"', '"').matchAll(/"id":\s*"([^"]+)"/g)].map(([, id]) => id);

const textOf = (value) => (typeof value === 'string' ? value : JSON.stringify(value));
// Returns the host's own name for a tool: prefixes differ, some hosts use a namespace, and some neither.
const named = (tools, tool) => tools.find(({name, namespace}) => name.endsWith(tool) && /ladder/.test(namespace + name)) ??
    tools.find(({name}) => name === tool);
const plainName = (name) => ({name, namespace: ''});
const callsIn = (messages) => messages.flatMap((message) => message.tool_calls ?? []);

// Returns the lookup words for a hidden tool. The plan may have its own.
const lookFor = (tool) => `ladder ${tool}`;

// Each vendor's API: its request paths, the tool results and names in a request, the call that looks up a hidden tool
// (`look`, if there is one), and the response as events.
const dialects = [
  {
    name: 'messages',
    path: /\/v1\/messages(\?|$)/,
    results: ({messages}) =>
        messages.flatMap(({content}) => (Array.isArray(content) ? content : []))
            .filter((part) => part.type === 'tool_result')
            .filter(({content}) => !Array.isArray(content) || content.every((one) => one.type !== 'tool_reference'))
            .map(
                (part) =>
                    (Array.isArray(part.content) ? part.content.map((one) => one.text ?? '').join('\n') : textOf(part.content))),
    tools: ({tools = []}) => tools.map((tool) => plainName(tool.name)),
    look: ({tools = []}, words) => tools.some(({name}) => name === 'ToolSearch') ?
        {...plainName('ToolSearch'), args: {query: words, max_results: 5}} :
        null,
    found: ({messages}) =>
        messages.flatMap(({content}) => (Array.isArray(content) ? content : []))
            .filter((part) => part.type === 'tool_result')
            .map(({content}) => (Array.isArray(content) ? content : []).flatMap((one) => one.tool_name ?? [])),
    events: (call, model) => {
      const message = {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {input_tokens: 1, output_tokens: 1}
      };
      const block = call ? {type: 'tool_use', id: `toolu_${call.number}`, name: call.name, input: {}} : {type: 'text', text: ''};
      const delta =
          call ? {type: 'input_json_delta', partial_json: JSON.stringify(call.args)} : {type: 'text_delta', text: 'done'};
      return [
        ['message_start', {type: 'message_start', message}],
        ['content_block_start', {type: 'content_block_start', index: 0, content_block: block}],
        ['content_block_delta', {type: 'content_block_delta', index: 0, delta}],
        ['content_block_stop', {type: 'content_block_stop', index: 0}],
        [
          'message_delta', {
            type: 'message_delta',
            delta: {stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null},
            usage: {output_tokens: 1}
          }
        ],
        ['message_stop', {type: 'message_stop'}],
      ];
    },
  },
  {
    name: 'responses',
    path: /\/responses(\?|$)/,
    results: ({input}) => input.filter((item) => item.type === 'function_call_output').map((item) => textOf(item.output)),
    tools: ({tools = [], input}) => [...tools, ...input.flatMap((item) => (item.type === 'tool_search_output' ? item.tools : []))]
                                        .flatMap(
                                            ({tools: inner, name = ''}) =>
                                                (inner ? inner.map((one) => ({name: one.name, namespace: name})) :
                                                         [plainName(name)])),
    look: ({tools = []}, words) =>
        (tools.some(({type}) => type === 'tool_search') ? {looks: true, args: {query: words, limit: 5}} : null),
    found: ({input}) => input.filter((item) => item.type === 'tool_search_output')
                            .map((item) => item.tools.flatMap(({tools: inner, name}) => inner?.map((one) => one.name) ?? [name])),
    events: (call, model) => {
      const item = call?.looks ?
          {
            type: 'tool_search_call',
            id: `ts_${call.number}`,
            call_id: `call_${call.number}`,
            status: 'completed',
            execution: 'client',
            arguments: call.args
          } :
          call ?
          {
            type: 'function_call',
            id: `fc_${call.number}`,
            call_id: `call_${call.number}`,
            name: call.name,
            arguments: JSON.stringify(call.args),
            ...(call.namespace ? {namespace: call.namespace} : {})
          } :
          {type: 'message', id: 'msg_1', role: 'assistant', content: [{type: 'output_text', text: 'done', annotations: []}]};
      const response = {
        id: 'resp_1',
        object: 'response',
        model,
        status: 'completed',
        output: [item],
        usage: {input_tokens: 1, output_tokens: 1, total_tokens: 2}
      };
      return [
        ['response.created', {type: 'response.created', response: {...response, status: 'in_progress', output: []}}],
        ['response.output_item.added', {type: 'response.output_item.added', output_index: 0, item}],
        ['response.output_item.done', {type: 'response.output_item.done', output_index: 0, item}],
        ['response.completed', {type: 'response.completed', response}],
      ];
    },
  },
  {
    name: 'chat completions',
    path: /\/chat\/completions(\?|$)/,
    results: ({messages}) => {
      const looks = new Set(callsIn(messages).filter((call) => call.function.name === 'tool_search').map(({id}) => id));
      return messages.filter(({role, tool_call_id: id}) => role === 'tool' && !looks.has(id)).map(({content}) => textOf(content));
    },
    // A tool found by a lookup is called through another tool.
    tools: ({tools = [], messages}) => [
      ...tools.map((tool) => plainName(tool.function.name)),
      ...messages.filter(({role, content}) => role === 'tool' && textOf(content).includes('<functions>'))
          .flatMap(({content}) => [...textOf(content).replaceAll('\\"', '"').matchAll(/"name":\s*"(mcp__[\w-]+)"/g)])
          .map(([, name]) => ({...plainName(name), through: 'tool_call'})),
    ],
    look: ({tools = []}, words) => tools.some((one) => one.function.name === 'tool_search') ?
        {...plainName('tool_search'), args: {query: words}} :
        null,
    events: (call, model) => {
      const chunk = (delta, finish_reason = null) =>
          [null, {id: 'chat_1', object: 'chat.completion.chunk', created: 1, model, choices: [{index: 0, delta, finish_reason}]}];
      const said = call ? {
        tool_calls: [{
          index: 0,
          id: `call_${call.number}`,
          type: 'function',
          function: {name: call.name, arguments: JSON.stringify(call.args)}
        }]
      } :
                          {content: 'done'};
      return [chunk({role: 'assistant', ...said}), chunk({}, call ? 'tool_calls' : 'stop'), [null, '[DONE]']];
    },
  },
  {
    name: 'generate content',
    path: /:(streamGenerateContent|generateContent)/,
    results: ({contents}) => contents.flatMap(({parts}) => parts)
                                 .filter((part) => part.functionResponse)
                                 .map((part) => textOf(part.functionResponse.response)),
    tools: ({tools = []}) => tools.flatMap((tool) => tool.functionDeclarations ?? []).map((tool) => plainName(tool.name)),
    events: (call) => {
      const part = call ? {functionCall: {id: `call_${call.number}`, name: call.name, args: call.args}} : {text: 'done'};
      return [[
        null, {
          candidates: [{index: 0, content: {role: 'model', parts: [part]}, finishReason: 'STOP'}],
          usageMetadata: {promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2}
        }
      ]];
    },
  },
];

const kMaxCalls = 8;  // three, plus a lookup before each

// `plan` maps the results so far to the next call ({tool, args}), the next lookup `words`, or null. Returns {url,
// seen(): the tool results that the last host passed on, tools(), found(): the names that each lookup found, forget(),
// close()}; keep(name) writes the results to the folder LADDER_SEEN for inspection.
export async function startModel(plan, maxCalls = kMaxCalls) {
  let seen = [], tools = [], found = [], asked = [], calls = 0;
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    const dialect = dialects.find(({path}) => request.method === 'POST' && path.test(request.url));
    asked.push(`${request.method} ${request.url}`);
    if (!dialect) {
      response.writeHead(request.method === 'HEAD' ? 200 : 404, {'content-type': 'application/json'})
          .end('{"error":{"message":"not here"}}');
      return;
    }
    const said = JSON.parse(body);
    const results = dialect.results(said), offered = dialect.tools(said);
    if (results.length >= seen.length) seen = results;
    if (offered.length > tools.length) tools = offered.map(({name, namespace}) => namespace + name);
    const brought = dialect.found?.(said) ?? [];
    if (brought.length > found.length) found = brought;
    const next = plan(results, brought);
    const tool = next?.tool && named(offered, next.tool);
    const chosen = tool?.through ? {...plainName(tool.through), args: {name: tool.name, arguments: next.args}} :
        tool                     ? {...tool, args: next.args} :
                                   next && dialect.look?.(said, next.words ?? lookFor(next.tool));
    const call = chosen && calls < maxCalls ? {...chosen, number: ++calls} : null;
    const streamed = said.stream || /streamGenerate/.test(request.url);
    response.writeHead(200, {'content-type': streamed ? 'text/event-stream' : 'application/json'});
    const events = dialect.events(call, said.model ?? 'model');
    if (!streamed) return response.end(JSON.stringify(events.at(-1)[1]));
    for (const [event, data] of events) response.write(`${event ? `event: ${event}\n` : ''}data: ${textOf(data)}\n\n`);
    response.end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    seen: () => seen,
    tools: () => tools,
    found: () => found,
    keep: (name) => process.env.LADDER_SEEN && writeFileSync(join(process.env.LADDER_SEEN, `${name}.txt`), seen.join('\n\n=====\n\n')),
    asked: () => asked,
    forget: () => (seen = [], tools = [], found = [], asked = [], calls = 0),
    close: () => (server.closeAllConnections(), new Promise((resolve) => server.close(resolve))),
  };
}
