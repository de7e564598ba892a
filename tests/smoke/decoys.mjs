// A server over standard input and output with unrelated tools, so that a host that searches for tools has a choice.
import {createInterface} from 'node:readline';

const trades = {
  github: ['create_issue', 'list_pull_requests', 'merge_pull_request', 'search_code', 'get_file_contents', 'list_commits'],
  jira: ['create_ticket', 'search_tickets', 'list_sprints', 'add_comment', 'assign_ticket'],
  browser: ['open_page', 'click', 'take_screenshot', 'list_tabs', 'read_console_messages', 'fill_form'],
  database: ['run_query', 'list_tables', 'describe_table', 'count_rows'],
  files: ['read_file', 'write_file', 'search_files', 'list_directory', 'move_file'],
  deploy: ['list_releases', 'create_release', 'rollback', 'read_logs', 'list_events'],
};
const tools = Object.entries(trades).flatMap(([trade, names]) => names.map((name) => ({
  name: `${trade}_${name}`,
  description: `${name.replaceAll('_', ' ')} of ${trade}. Works on the project that is open.`,
  inputSchema: {type: 'object', properties: {name: {type: 'string', description: `what to ${name.split('_')[0]}`}}},
})));
const answers = {
  initialize: ({protocolVersion}) => ({protocolVersion, capabilities: {tools: {}}, serverInfo: {name: 'decoys', version: '1'}}),
  'tools/list': () => ({tools}),
  ping: () => ({}),
};
for await (const line of createInterface({input: process.stdin})) {
  const {id, method, params} = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const body = answer ? {result: answer(params)} : {error: {code: -32601, message: 'not here'}};
  console.log(JSON.stringify({jsonrpc: '2.0', id, ...body}));
}
