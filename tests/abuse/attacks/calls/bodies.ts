import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import type { Client } from '../../client.ts';
import { repeat } from '../../client.ts';
import { createFindings } from '../../findings.ts';

const mebibyte = 1_048_576;
const longestRefusal = 8_192;

interface Body {
  method?: string;
  path: string;
  body: () => unknown;
  headers?: Record<string, string>;
  /** Besides a connection that is cut. */
  answers: readonly number[];
}

const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

/** Bodies that are larger, deeper or stranger than any call needs. */
const bodies: Readonly<Record<string, Body>> = {
  '500,000 numbers in a blocklist': {
    method: 'PUT',
    path: '/users/blocklist',
    body: () => ({ blocked_tag_ids: Array.from({ length: 500_000 }, (_, id) => id) }),
    answers: [413],
  },
  '30,000 numbers in a blocklist': {
    method: 'PUT',
    path: '/users/blocklist',
    body: () => `{"blocked_tag_ids":[${'1,'.repeat(30_000)}1]}`,
    answers: [400],
  },
  '15,000 empty ids in a blocklist': {
    method: 'PUT',
    path: '/users/blocklist',
    body: () => `{"blocked_tag_ids":[${'"",'.repeat(15_000)}""]}`,
    answers: [400],
  },
  'a MiB of U+FDFA as a name': {
    path: '/auth/login',
    body: () => ({ identifier: '\ufdfa'.repeat(mebibyte / 3), password: 'x' }),
    answers: [413],
  },
  '5,000 U+FDFA as a name': {
    path: '/auth/login',
    body: () => ({ identifier: '\ufdfa'.repeat(5_000), password: 'x' }),
    answers: [400],
  },
  '5,000 U+FDFA as a password': {
    path: '/auth/login',
    body: () => ({ identifier: 'x', password: '\ufdfa'.repeat(5_000) }),
    answers: [400],
  },
  'lists in lists': { method: 'PUT', path: '/users/blocklist', body: () => deep(30_000), answers: [400] },
  'lists in lists that do not end': {
    method: 'PUT',
    path: '/users/blocklist',
    body: () => '['.repeat(60_000),
    headers: { 'idempotency-key': 'deep' },
    answers: [400],
  },
  '150,000 lists in lists': {
    method: 'PUT',
    path: '/users/blocklist',
    body: () => deep(75_000),
    headers: { 'idempotency-key': 'deeper' },
    answers: [413],
  },
  'objects in objects': { path: '/auth/login', body: () => '{"a":'.repeat(2_000), answers: [400] },
  'a prototype': {
    path: '/auth/login',
    body: () => '{"__proto__":{"admin":true},"identifier":"x","password":"y"}',
    answers: [400],
  },
  'a constructor': {
    path: '/auth/login',
    body: () => '{"constructor":{"prototype":{"admin":true}},"identifier":"x","password":"y"}',
    answers: [400, 401],
  },
  'half a character': {
    path: '/auth/login',
    body: () => '{"identifier":"\\ud800","password":"\\udc00"}',
    answers: [400, 401],
  },
  'a NUL': { path: '/auth/login', body: () => '{"identifier":"a\\u0000b","password":"y"}', answers: [400, 401] },
  'a large number': {
    path: '/api/config/update',
    body: () => `{"video_settings":{"switch_interval_seconds":1e999}}`,
    answers: [400, 401, 403],
  },
  XML: {
    path: '/auth/login',
    body: () => '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    headers: { 'content-type': 'application/xml' },
    answers: [415],
  },
  'a form': {
    path: '/auth/login',
    body: () => 'identifier=x&password=y',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    answers: [415],
  },
  'a bomb of gzip': {
    path: '/auth/login',
    body: () => Readable.from([gzipSync(Buffer.alloc(10 * mebibyte))]),
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    answers: [400, 413, 415],
  },
  'a body without an end': {
    path: '/auth/login',
    body: () => Readable.from(endless()),
    headers: { 'content-type': 'application/json' },
    answers: [413],
  },
  'a query of 64 KiB': {
    method: 'GET',
    path: `/api/video/top-left?exclude=${'a'.repeat(65_536)}`,
    body: () => undefined,
    answers: [414, 431],
  },
  'headers of 64 KiB': {
    method: 'GET',
    path: '/api/config',
    body: () => undefined,
    headers: { 'x-long': 'a'.repeat(65_536) },
    answers: [431],
  },
  '300 headers': {
    method: 'GET',
    path: '/api/config',
    body: () => undefined,
    headers: Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`x-${index}`, 'a'])),
    answers: [200, 431],
  },
};

function* endless(): Generator<Buffer> {
  const part = Buffer.alloc(65_536, '[');
  for (let sent = 0; sent < 512; sent += 1) yield part;
}

/** Sends each of them by the dozen, as somebody who is signed in. */
export const oversizedBodies: Attack = {
  name: 'bodies',
  databases: bothDatabases,
  short: bothDatabases,
  setting: 'home',
  async run(target, _random, budget) {
    const findings = createFindings();
    const { client: somebody } = await target.member();
    for (const [what, body] of Object.entries(bodies)) {
      // A new address each: tries at signing in have a budget of their own.
      const stranger = target.stranger();
      const client: Client = body.path.startsWith('/users/') ? somebody : stranger;
      const replies = await repeat(budget.count(1, 12), 4, () =>
        client.ask(body.method ?? 'POST', body.path, { body: body.body(), headers: body.headers ?? {} }),
      );
      for (const { status, body: answer } of replies) {
        findings.expect([0, 429, ...body.answers].includes(status), `${what}: answered with ${status}`);
        findings.expect(
          answer.length <= longestRefusal || status === 200,
          `${what}: an answer of ${answer.length} bytes`,
        );
      }
    }
    return findings.list();
  },
};
