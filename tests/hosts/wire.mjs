// JSON-RPC 2.0 as the Model Context Protocol uses it, over standard input and output and over Streamable HTTP, in both
// eras. It knows neither tools nor the meaning of responses. Every request and its raw response is recorded.
import {spawn} from 'node:child_process';
import {appendFileSync} from 'node:fs';
import http from 'node:http';
import {createInterface} from 'node:readline';

const kModern = '2026-07-28', kLegacy = '2025-11-25';
const kNamedBy = {
  'tools/call': 'name',
  'resources/read': 'uri'
};
const kClient = {
  name: 'a-host',
  version: '1'
};

export class WireError extends Error {
  constructor({code, message, data}) {
    super(message);
    Object.assign(this, {code, data});
  }
}

// Lines to and from a child process; replies match their request by id.
function stdio({command, env}) {
  const child = spawn(command[0], command.slice(1), {env: {...process.env, ...env}, stdio: ['pipe', 'pipe', 'inherit']});
  const waiting = new Map();
  createInterface({input: child.stdout}).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  ended.then(() => waiting.forEach((settle) => settle({error: {code: 0, message: 'the server ended'}})));
  return {
    send: (message) => new Promise((settle) => {
      if (message.id === undefined)
        settle();
      else
        waiting.set(message.id, settle);
      child.stdin.write(JSON.stringify(message) + '\n');
    }),
    close: () => (child.stdin.end(), ended),
  };
}

function post(url, headers, body, agent) {
  return new Promise((resolve, reject) => {
    const request = http.request(url, {method: 'POST', headers, agent}, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part)).on('error', reject);
      response.on('end', () => resolve({
                           status: response.statusCode,
                           type: response.headers['content-type'] ?? '',
                           text: Buffer.concat(parts).toString()
                         }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

// A response is one JSON body, or an event stream with the response under this id.
function answerIn({type, text}, id) {
  if (!type.startsWith('text/event-stream')) return JSON.parse(text);
  const events =
      text.split(/\r?\n\r?\n/)
          .map(
              (event) => event.split(/\r?\n/).filter((line) => line.startsWith('data:')).map((line) => line.slice(5)).join('\n'));
  return events.filter((data) => data.trim()).map((data) => JSON.parse(data)).find((message) => message.id === id);
}

function overHttp({url, token}, modern) {
  const agent = new http.Agent({keepAlive: true});
  return {
    send: async (message) => {
      const headers = {'Content-Type': 'application/json', Accept: 'application/json, text/event-stream'};
      if (token) headers.Authorization = `Bearer ${token}`;
      if (modern || message.method !== 'initialize') headers['MCP-Protocol-Version'] = modern ? kModern : kLegacy;
      if (modern) {
        headers['Mcp-Method'] = message.method;
        if (kNamedBy[message.method]) headers['Mcp-Name'] = message.params[kNamedBy[message.method]];
      }
      const answer = await post(url, headers, JSON.stringify(message), agent);
      if (message.id === undefined) return undefined;
      return answerIn(answer, message.id);
    },
    close: async () => agent.destroy(),
  };
}

// Connects: {command, env} or {url, token}; era: modern or legacy; record: a file that gets one line per request;
// broken: methods that this connection fails to carry.
export async function open({command, env, url, token, era, record, broken = []}) {
  const modern = era === 'modern';
  const channel = command ? stdio({command, env}) : overHttp({url, token}, modern);
  let last = 0;
  const request = async (method, params = {}) => {
    const note = {method, params};
    try {
      if (broken.includes(method)) throw new WireError({code: 0, message: `this host can't do ${method}`});
      const meta = modern ? {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': kModern,
          'io.modelcontextprotocol/clientCapabilities': {},
          'io.modelcontextprotocol/clientInfo': kClient
        }
      } :
                            {};
      const answer = await channel.send({jsonrpc: '2.0', id: ++last, method, params: {...params, ...meta}});
      if (answer.error) throw new WireError(answer.error);
      note.result = answer.result;
      return answer.result;
    } catch (error) {
      note.error = {code: error.code, message: error.message};
      throw error;
    } finally {
      if (record) appendFileSync(record, JSON.stringify(note) + '\n');
    }
  };
  if (modern) {
    await request('server/discover');
  } else {
    await request('initialize', {protocolVersion: kLegacy, capabilities: {}, clientInfo: kClient});
    await channel.send({jsonrpc: '2.0', method: 'notifications/initialized'});
  }
  return {request, close: channel.close};
}
