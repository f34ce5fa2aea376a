import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import { repeat } from '../../client.ts';
import { createFindings } from '../../findings.ts';
import { createSockets, readAll } from '../../sockets.ts';

const host = 'Host: localhost\r\n';
const hidden = `GET /users/admin HTTP/1.1\r\n${host}\r\n`;
/** Requests that servers and proxies read differently, that are none, or that are a thousand. */
const requests: Readonly<Record<string, string>> = {
  'two lengths': `POST /auth/login HTTP/1.1\r\n${host}Content-Length: 4\r\nContent-Length: 40\r\n\r\nabcd${hidden}`,
  'a length and chunks': `POST /auth/login HTTP/1.1\r\n${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
  'chunks of another name': `POST /auth/login HTTP/1.1\r\n${host}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`,
  'a chunk without an end': `POST /auth/login HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n${hidden}`,
  'a folded header': `GET /api/config HTTP/1.1\r\n${host}X: a\r\n b\r\n\r\n`,
  'a NUL': `GET /api/con\0fig HTTP/1.1\r\n${host}\r\n`,
  'a bare line feed': `GET /api/config HTTP/1.1\n${host}X: a\nY: b\n\n`,
  'no host': 'GET /api/config HTTP/1.1\r\n\r\n',
  'two hosts': `GET /api/config HTTP/1.1\r\n${host}Host: evil.example\r\n\r\n`,
  'a whole address': `GET http://evil.example/api/config HTTP/1.1\r\n${host}\r\n`,
  'a negative length': `POST /auth/login HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`,
  'an upgrade': `GET / HTTP/1.1\r\n${host}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\n\r\n`,
  'a tunnel': `CONNECT 127.0.0.1:22 HTTP/1.1\r\n${host}\r\n`,
  'a promise to go on': `POST /auth/login HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: 5\r\n\r\n`,
  'the old way': 'GET /\r\n\r\n',
  'the way of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  TLS: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'a thousand in a row': `GET /healthz HTTP/1.1\r\n${host}\r\n`.repeat(1_000),
};

/** Bytes that are hardly HTTP: each is answered or cut, and nothing behind it is taken for a call. */
export const brokenHttp: Attack = {
  name: 'broken-http',
  databases: bothDatabases,
  short: ['sqlite'],
  setting: 'home',
  async run(target, random, budget) {
    const findings = createFindings();
    const sockets = createSockets(target.port);
    try {
      for (const [what, text] of Object.entries(requests)) {
        const answers = await repeat(budget.count(1, 10), 10, () =>
          readAll(sockets.open(Buffer.from(text, 'latin1')), budget.count(300, 800)),
        );
        for (const answer of answers) {
          findings.expect(
            !/^HTTP\/1\.1 5\d\d/m.test(answer),
            `${what}: answered with ${/^HTTP\/1\.1 (\d+)/m.exec(answer)?.[1]}`,
          );
          findings.expect(!answer.includes('evil.example'), `${what}: a strange name is repeated`, 'leak');
          findings.expect(
            what === 'a promise to go on' || !/ 401 [\s\S]* 401 /.test(answer),
            `${what}: what is hidden in a body is answered`,
          );
        }
      }
      await repeat(budget.count(50, 300), 20, () => {
        const noise = Buffer.from(Array.from({ length: 1 + random(400) }, () => random(256)));
        return readAll(sockets.open(noise), budget.count(100, 300));
      });
    } finally {
      sockets.closeAll();
    }
    return findings.list();
  },
};
