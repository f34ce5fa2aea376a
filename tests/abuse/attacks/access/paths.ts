import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { putVideos } from '#tests/support/media/videos.ts';
import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import type { Client } from '../../client.ts';
import { fieldsOf, repeat } from '../../client.ts';
import { createFindings } from '../../findings.ts';
import { untilScanned } from '../../library.ts';
import type { Target } from '../../target.ts';

const outsideBytes = 'bytes from outside of the library';
const paths = [
  ...[
    '../../etc/passwd',
    '/etc/passwd',
    '..',
    '.',
    './video-0.mp4',
    'a/../video-0.mp4',
    '..%2f..%2fetc%2fpasswd',
    '....//....//etc/passwd',
  ],
  ...[
    '..\\..\\etc\\passwd',
    'file:///etc/passwd',
    'video-0.mp4/',
    'video-0.mp4/.',
    '/proc/self/environ',
    '../data/fourfold.sqlite',
    '../outside/video.mp4',
  ],
];

/**
 * Paths that lead out of the library, and a folder in it that leads inside and outside in turn while it is streamed
 * from.
 */
export const strayingPaths: Attack = {
  name: 'paths',
  databases: bothDatabases,
  short: ['sqlite'],
  setting: 'home',
  async run(target, _random, budget) {
    const findings = createFindings();
    const client = target.stranger();
    for (const path of paths) {
      for (const address of [
        `/api/video/stream?path=${encodeURIComponent(path)}`,
        `/api/videos/${encodeURIComponent(path)}/tags`,
        `/${path}`,
      ]) {
        const { status, body } = await client.get(address);
        findings.expect(status < 500, `${address} is answered with ${status}`);
        findings.expect(
          !/root:x:0|SQLite format 3|PATH=/.test(body) && !body.includes(outsideBytes),
          `${address} leads out of the library`,
          'leak',
        );
      }
    }
    await flip(target, client, budget.count(150, 1_500), findings.expect);
    return findings.list();
  },
};

async function flip(
  target: Target,
  client: Client,
  count: number,
  expect: ReturnType<typeof createFindings>['expect'],
): Promise<void> {
  const [inside, outside, link] = [
    join(target.library, 'inside'),
    join(target.dataFolder, '..', 'outside'),
    join(target.library, 'flipping'),
  ];
  putVideos(inside, 'video.mp4');
  mkdirSync(outside, { recursive: true });
  writeFileSync(join(outside, 'video.mp4'), outsideBytes.repeat(1_000));
  symlinkSync(inside, link);
  await untilScanned(target, client, 'inside/video.mp4');
  const { url } = fieldsOf(await client.get('/api/video/top-left'));
  expect(typeof url === 'string', 'no pick is answered');
  const flipping = fork('tests/support/processes/flipping-process.ts', [link, inside, outside]);
  await once(flipping, 'message');
  try {
    const replies = await repeat(count, 8, (index) => {
      const path = index % 4 === 0 ? 'inside/video.mp4' : 'flipping/video.mp4';
      return client.get(`/api/video/stream?path=${path}`, index % 2 === 0 ? {} : { range: 'bytes=0-99' });
    });
    expect(
      replies.every(({ body }) => !body.includes(outsideBytes.slice(0, 20))),
      'a link that changes gives bytes from outside',
      'leak',
    );
    expect(
      replies.every(({ status }) => [200, 206, 404, 503, 416].includes(status)),
      `a link that changes is answered with ${[...new Set(replies.map(({ status }) => status))].join(', ')}`,
    );
  } finally {
    flipping.kill('SIGKILL');
    await once(flipping, 'exit');
  }
}
