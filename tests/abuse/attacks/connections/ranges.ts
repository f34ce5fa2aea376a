import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import { repeat } from '../../client.ts';
import { createFindings } from '../../findings.ts';
import { openDescriptors } from '../../process-memory.ts';
import { createSockets } from '../../sockets.ts';

/** Tiny, overlapping, invalid and very many ranges, and downloads that are given up. */
export const ranges: Attack = {
  name: 'ranges',
  databases: bothDatabases,
  short: ['sqlite'],
  setting: 'home',
  async run(target, random, budget) {
    const findings = createFindings();
    const client = target.stranger();
    const size = statSync(join(target.library, 'video-2.mp4')).size;
    const before = openDescriptors(target.process.pid);
    await repeat(budget.count(200, 2_000), 16, async () => {
      const [start, length] = [random(size), random(100)];
      const end = Math.min(start + length, size - 1);
      const kinds: readonly [string, number, number | null][] = [
        [`bytes=${start}-${start + length}`, 206, end - start + 1],
        [`bytes=-${length + 1}`, 206, length + 1],
        [`bytes=${size + start}-`, 416, null],
        [`bytes=${start + 1}-${start}`, 416, null],
        [`bytes=${Array.from({ length: 200 }, (_, index) => `${index}-${index}`).join(',')}`, 200, size],
        [`bytes=${'9'.repeat(1_000)}-`, 416, null],
      ];
      const [range, status, bytes] = kinds[random(kinds.length)] ?? ['', 0, null];
      const reply = await client.get('/api/video/stream?path=video-2.mp4', { range });
      findings.expect(reply.status === status, `a range like ${range.slice(0, 40)} is answered with ${reply.status}`);
      findings.expect(
        bytes === null || Number(reply.headers['content-length']) === bytes,
        `a range like ${range.slice(0, 40)} has another length`,
      );
    });
    const sockets = createSockets(target.port);
    await repeat(budget.count(50, 500), 16, async () => {
      const socket = sockets.open(
        `GET /api/video/stream?path=huge.mp4 HTTP/1.1\r\nHost: localhost\r\nRange: bytes=${random(10 ** 8)}-\r\n\r\n`,
      );
      await delay(random(20));
      socket.resetAndDestroy();
    });
    client.close();
    const most = before + 20;
    let left = openDescriptors(target.process.pid);
    for (let turn = 0; turn < 300 && left > most; turn += 1) {
      await delay(100);
      left = openDescriptors(target.process.pid);
    }
    findings.expect(left <= most, `${left - before} descriptors are left open`);
    return findings.list();
  },
};
