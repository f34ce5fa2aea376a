import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import { createFindings } from '../../findings.ts';
import { createSockets } from '../../sockets.ts';

const head = 'GET /api/config HTTP/1.1\r\nHost: localhost\r\n';
const body =
  'POST /auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{';

/** How long a head may take. */
const headSeconds = 10;

/**
 * Connections by the hundred that say nothing, half a head, a head byte by byte, or half a body. Newcomers are served,
 * and those go away.
 */
export const silentConnections: Attack = {
  name: 'silent-connections',
  databases: bothDatabases,
  short: ['sqlite'],
  setting: 'home',
  async run(target, _random, budget) {
    const findings = createFindings();
    const sockets = createSockets(target.port);
    const each = budget.count(60, 400);
    try {
      for (let index = 0; index < each; index += 1) {
        const from = `127.2.${index >> 6}.${index & 63}`;
        for (const text of ['', head, body]) sockets.open(text, { from });
      }
      const slow = Array.from({ length: budget.count(10, 100) }, () => sockets.open(head));
      for (let seconds = 0; seconds < budget.count(1, headSeconds + 5); seconds += 1) {
        for (const socket of slow) if (!socket.destroyed) socket.write('X');
        const { status } = await target.stranger().get('/api/config');
        findings.expect(status === 200, `beside silent connections a newcomer is answered with ${status}`);
        await delay(1_000);
      }
      // Bodies have longer.
      if (!budget.isShort) findings.expect(sockets.size <= each, `${sockets.size} silent connections are still open`);
    } finally {
      sockets.closeAll();
    }
    return findings.list();
  },
};
