// A real Dovecot for the browser tests, and a session that adds and deletes mail in an account.
import {spawn} from 'node:child_process';
import {chmodSync, mkdtempSync, rmSync} from 'node:fs';
import net from 'node:net';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const kScript = join(dirname(fileURLToPath(import.meta.url)), '..', 'support', 'dovecot');
export const kMailPassword = 'correct-horse-battery';

export async function freePort() {
  const server = net.createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const {port} = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function startMailServer() {
  const folder = mkdtempSync(join(tmpdir(), 'ladder-mail-'));
  chmodSync(folder, 0o755);
  const port = await freePort(), tlsPort = await freePort();
  const child = spawn(kScript, [join(folder, 'dovecot'), String(port), String(tlsPort), kMailPassword], {stdio: ['pipe', 'pipe', 'ignore']});
  const ended = new Promise((resolve) => child.on('close', resolve));
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    ended.then(() => reject(new Error('dovecot ended; is the package dovecot-imapd installed?')));
  });
  return {
    port,
    // Sends commands in one session; {append: [folder, message]} adds a message.
    async session(user, commands) {
      const socket = net.connect(port, '127.0.0.1');
      let received = '';
      let wake = () => {};
      socket.on('data', (part) => (received += part, wake()));
      const until = async (found) => {
        while (!found(received)) await new Promise((resolve) => wake = resolve);
      };
      await until((text) => text.includes('\r\n'));
      let tag = 0;
      for (const command of [`LOGIN ${user} ${kMailPassword}`, ...commands]) {
        const line = command.append ?
            `APPEND ${command.append[0]} {${Buffer.byteLength(command.append[1])}+}\r\n${command.append[1]}` : command;
        const mark = `t${++tag} `;
        socket.write(`${mark}${line}\r\n`);
        await until((text) => text.includes(`\r\n${mark}`) || text.startsWith(mark));
        if (!received.includes(`${mark}OK`)) throw new Error(`${line}: ${received}`);
      }
      socket.destroy();
    },
    async stop() {
      child.stdin.end();
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, {recursive: true, force: true});
    },
  };
}

export const message = (number) =>
  `From: Ann <ann@example.org>\r\nTo: Ben <ben@example.org>\r\nSubject: Number ${number}\r\nMessage-ID: <n${number}@example.org>\r\n` +
  `Date: Mon, 05 Jan 2026 10:00:00 +0000\r\n\r\nThe text has word${number} in it.\r\n`;
