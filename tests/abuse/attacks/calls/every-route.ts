import type { Endpoint } from '#contract/endpoint.ts';
import { factsOf } from '#contract/endpoint.ts';
import * as endpoints from '#contract/endpoints.ts';
import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import { createFindings } from '../../findings.ts';

const segments = [
  '1',
  '..%2f..%2fetc%2fpasswd',
  '%00',
  "1'--",
  '%ff',
  '-1',
  'constructor',
  '%F0%9F%8E%AC',
  'a'.repeat(2_000),
];
const bodies: readonly unknown[] = [undefined, {}, [], 'null', '"text"', { id: null }, { body: { $ne: 1 } }];
const promised = [400, 401, 403, 404, 405, 409, 413, 414, 415, 416, 421, 429, 431];

/**
 * Every call of the contract with strange parts, as nobody and as somebody with the least rights: none fails, none does
 * what only others may.
 */
export const everyRoute: Attack = {
  name: 'every-route',
  databases: bothDatabases,
  short: bothDatabases,
  setting: 'home',
  async run(target, random, budget) {
    const findings = createFindings();
    const nobody = target.stranger();
    const somebody = (await target.member()).client;
    const forger = target.stranger({ authorization: `Bearer ${forgedToken()}` });
    for (const endpoint of Object.values(endpoints) as Endpoint[]) {
      for (let turn = 0; turn < budget.count(1, segments.length); turn += 1) {
        const path = endpoint.path.replace(
          /\{\w+\}/g,
          () => segments[budget.isShort ? random(segments.length) : turn] ?? '1',
        );
        const query = ['', '?page=-1&limit=1e9', '?__proto__[a]=1', '?path=../../etc/passwd', '?id=1&id=2'][random(5)];
        const question = endpoint.method === 'GET' ? {} : { body: bodies[random(bodies.length)] };
        for (const [who, client] of [
          ['nobody', nobody],
          ['somebody', somebody],
          ['a forger', forger],
        ] as const) {
          const { status } = await client.ask(endpoint.method, `${path}${query}`, question);
          const name = `${endpoint.method} ${endpoint.path} as ${who}`;
          findings.expect(
            (status >= 200 && status < 400) || promised.includes(status),
            `${name} is answered with ${status}`,
          );
          const isForOthers =
            endpoint.caller === 'admin' ||
            factsOf(endpoint).credential === 'key' ||
            (endpoint.caller === 'user' && who !== 'somebody');
          findings.expect(!isForOthers || status >= 400, `${name} is answered with ${status}`);
        }
      }
    }
    for (const method of ['TRACE', 'OPTIONS', 'PATCH', 'PROPFIND', 'HEAD']) {
      const { status } = await nobody.ask(method, '/api/config');
      findings.expect(status < 500, `${method} is answered with ${status}`);
    }
    return findings.list();
  },
};

/** An administrator's token by its looks, which nobody has signed. */
function forgedToken(): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none', typ: 'JWT' })}.${part({ sub: '1', tier: 'admin', exp: 4_102_444_800 })}.`;
}
