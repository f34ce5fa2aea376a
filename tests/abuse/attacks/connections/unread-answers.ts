import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import { createFindings } from '../../findings.ts';
import { socketMiB } from '../../process-memory.ts';
import { createSockets } from '../../sockets.ts';

const stream = 'GET /api/video/stream?path=huge.mp4 HTTP/1.1\r\nHost: localhost\r\n\r\n';
const goalMiB = 128;

/** Readers by the hundred that ask for a large video and take nothing of it. A viewer gets a video meanwhile. */
export const unreadAnswers: Attack = {
  name: 'unread-answers',
  databases: bothDatabases,
  short: ['sqlite'],
  setting: 'home',
  async run(target, _random, budget) {
    const findings = createFindings();
    const sockets = createSockets(target.port);
    const before = socketMiB();
    let most = 0;
    try {
      for (let index = 0; index < budget.count(30, 300); index += 1)
        sockets.open(stream, { from: `127.3.${index >> 6}.${index & 63}`, isDeaf: true });
      for (let turn = 0; turn < budget.count(1, 15); turn += 1) {
        const reply = await target.stranger().get('/api/video/stream?path=huge.mp4', { range: 'bytes=0-999999' });
        findings.expect(
          reply.status === 206,
          `beside readers that take nothing a viewer is answered with ${reply.status}`,
        );
        most = Math.max(most, socketMiB() - before);
        await delay(budget.count(100, 1_000));
      }
      if (!budget.isShort)
        findings.expect(
          most <= goalMiB,
          `unread answers hold ${Math.round(most)} MiB in the kernel, goal ${goalMiB} MiB`,
          'cost',
        );
    } finally {
      sockets.closeAll();
    }
    return findings.list();
  },
};
