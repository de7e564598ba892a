// Loopback proxies that change one thing and pass on everything else: Host and Origin arrive as the client sent them.
import http from 'node:http';

// Listens on a free port of 127.0.0.1 and forwards to `target()`, an http URL; returns {url, close()}.
//   request(headers, asked)   returns the headers to send, a list of alternating names and values, or a response of its own:
//                             {status, headers, body}
//   answer(headers)           returns the response headers
async function startChanging(target, {request = (headers) => headers, answer = (headers) => headers}) {
  const server = http.createServer((asked, response) => {
    const headers = request(asked.rawHeaders, asked);
    if (!Array.isArray(headers)) {
      asked.resume();
      return response.writeHead(headers.status, headers.headers ?? {}).end(headers.body ?? '');
    }
    const to = new URL(target());
    const upstream = http.request(
        {host: to.hostname, port: to.port, path: asked.url, method: asked.method, headers, setHost: false}, (answered) => {
          response.writeHead(answered.statusCode, answered.statusMessage, answer(answered.rawHeaders));
          answered.pipe(response);
        });
    upstream.on('error', (error) => response.destroy(error));
    response.on('close', () => upstream.destroy());
    asked.pipe(upstream);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((resolve) => {
      server.closeAllConnections();
      server.close(resolve);
    }),
  };
}

// Returns the headers without one of them, with `instead` inserted at its position.
export function without(headers, name, ...instead) {
  const kept = [];
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at].toLowerCase() !== name) kept.push(headers[at], headers[at + 1]);
  }
  return [...kept, ...instead];
}

// Adds a bearer token to every request, for clients that can't send a token themselves.
export const startProxy = (target, token) =>
    startChanging(() => target, {request: (headers) => without(headers, 'authorization', 'Authorization', `Bearer ${token}`)});

// Breaks one thing, as some proxies do; the target is set later.
export const startSpoiling = (target, spoil) => startChanging(target, spoil);
