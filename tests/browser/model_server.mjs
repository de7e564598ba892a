// A small model server, run as a process of its own by the Ask tests. It speaks Ollama's chat API and the OpenAI one, writes an answer
// from the passages of the prompt, and misbehaves on request.
//   node model_server.mjs    prints its port; POST /mode with a name sets how it answers; GET /log returns all prompts as JSON
import http from 'node:http';

const log = [];
let mode = 'honest';

// The first sentence of passage N, as a sentence with its citation.
function quote(prompt, number) {
  const passage = prompt.split(/^\[(?=\d+\] )/m).find((one) => one.startsWith(`${number}] `)) ?? '';
  const text = passage.split('\n').slice(1).join(' ').replace(/…/g, ' ');
  return `${text.trim().split(/\s+/).slice(0, 12).join(' ').replace(/[.!?:;[\]]/g, '')} [${number}].`;
}

const kAnswers = {
  honest: (prompt) => `${quote(prompt, 1)} ${quote(prompt, 2)}`,
  hostile: (prompt) => `<img src=x onerror="window.owned=1"><script>window.owned=1</script> your aunt sold her zeppelin [1]. ` +
      `${quote(prompt, 1)} The price was 987654321 dollars [1]. Nobody can know this. Everything is in the secret record [42]. ` +
      `\u202Eevil\u202C <a href="javascript:alert(1)">reservation</a> ${quote(prompt, 1)}`,
  silent: () => 'NO ANSWER',
  empty: () => '',
};

const server = http.createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  if (request.url === '/mode') {
    mode = body;
    return response.end();
  }
  if (request.url === '/log') return response.end(JSON.stringify(log));
  const asked = JSON.parse(body);
  const isOllama = request.url === '/api/chat';
  log.push({url: request.url, key: request.headers.authorization ?? '', ...asked});
  if (mode === 'hang') return;
  if (mode === 'broken') return response.end('{"choices": [');
  if (mode === 'away') return response.writeHead(302, {location: 'http://127.0.0.1:1/api/chat'}).end();
  if (mode === 'failing') return response.writeHead(500).end(JSON.stringify({error: 'out of memory <b>now</b>'}));
  response.setHeader('content-type', 'application/json');
  if (mode === 'endless') {
    response.write('{"message": {"content": "');
    const timer = setInterval(() => response.write('word '.repeat(2000)), 5);
    return response.on('close', () => clearInterval(timer));
  }
  const content = kAnswers[mode](asked.messages.at(-1).content);
  response.end(JSON.stringify(isOllama ? {message: {role: 'assistant', content}, done: true} :
                                         {choices: [{index: 0, message: {role: 'assistant', content}, finish_reason: 'stop'}]}));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
