import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import { repeat } from '../../client.ts';
import { createFindings } from '../../findings.ts';
import { processorMs } from '../../process-memory.ts';

const bytes = 15_000;
const fill = (text: string) => text.repeat(Math.floor(bytes / text.length));

/** What parsers of addresses, headers and lists are slow at, when they are. */
const slow: Readonly<Record<string, { path: string; headers?: Record<string, string> }>> = {
  'escapes of escapes': { path: `/%25${fill('25')}41` },
  'escapes of escapes of a call': { path: `/%25${fill('25')}61pi/config` },
  'broken escapes': { path: `/api/${fill('%')}` },
  'escapes that are no text': { path: `/api/videos/${fill('%ff')}/tags` },
  slashes: { path: `/${fill('/')}` },
  'dots and slashes': { path: `/api/${fill('../')}config` },
  'escaped dots': { path: `/api/${fill('%2e%2e%2f')}` },
  backslashes: { path: `/${fill('%5c')}` },
  semicolons: { path: `/api/config${fill(';')}` },
  parameters: { path: `/api/video/top-left?${fill('a&')}` },
  brackets: { path: `/api/video/top-left?${fill('a[')}` },
  commas: { path: `/api/video/top-left?exclude=${fill(',')}` },
  ids: { path: `/api/video/top-left?tag_ids=${fill('a,')}` },
  cookies: { path: '/api/config', headers: { cookie: fill('a=b; ') } },
  'cookies without a name': { path: '/api/config', headers: { cookie: fill('=') } },
  addresses: { path: '/api/config', headers: { 'x-forwarded-for': fill('1,') } },
  ranges: { path: '/api/video/stream?path=video-0.mp4', headers: { range: `bytes=${fill('0-,')}` } },
  'range blanks': { path: '/api/video/stream?path=video-0.mp4', headers: { range: `bytes${fill(' ')}x` } },
  'entity tags': { path: '/api/video/stream?path=video-0.mp4', headers: { 'if-none-match': fill('W/"a",') } },
  'one entity tag': { path: '/api/config', headers: { 'if-none-match': fill('"') } },
  languages: { path: '/', headers: { 'accept-language': fill('a;q=0.1,') } },
  encodings: { path: '/', headers: { 'accept-encoding': fill('br;q=0.1,') } },
  authorization: { path: '/users/profile', headers: { authorization: `Bearer ${fill('a.')}` } },
  browser: { path: '/auth/device', headers: { 'user-agent': fill('Chrome/Safari/') } },
};
const goalMsEach = 10;

/**
 * Addresses and headers that are as long as they may be, from somebody whom a closed site does not let in, and from
 * somebody whom it does.
 */
export const slowParsers: Attack = {
  name: 'slow-parsers',
  databases: bothDatabases,
  short: ['sqlite'],
  setting: 'proxied',
  async run(target, _random, budget) {
    const findings = createFindings();
    const inside = await target.visitor();
    for (const [what, { path, headers = {} }] of Object.entries(slow)) {
      const callers = [target.stranger(), inside];
      const before = processorMs(target.process.pid);
      const times = budget.count(2, 20);
      for (const client of callers) {
        const replies = await repeat(times, 2, () =>
          client.get(path, { ...client.headers, ...headers, ...mergeCookies(client.headers, headers) }),
        );
        for (const { status } of replies)
          findings.expect(status > 0 && status < 500, `${what} are answered with ${status}`);
      }
      const each = (processorMs(target.process.pid) - before) / (times * callers.length);
      if (!budget.isShort)
        findings.expect(
          each <= goalMsEach,
          `${what} cost ${each.toFixed(1)} ms of processor time each, goal ${goalMsEach} ms`,
          'cost',
        );
    }
    return findings.list();
  },
};

function mergeCookies(own: Record<string, string>, more: Record<string, string>): Record<string, string> {
  return own.cookie === undefined || more.cookie === undefined
    ? {}
    : { cookie: `${own.cookie}; ${more.cookie}`.slice(0, bytes) };
}
