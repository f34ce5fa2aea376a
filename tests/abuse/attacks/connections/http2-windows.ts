import { once } from 'node:events';
import type { ClientHttp2Session } from 'node:http2';
import { connect } from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import { createFindings } from '../../findings.ts';

const path = '/api/video/stream?path=huge.mp4';

/**
 * HTTP/2 sessions that open no window for what they ask, that take back what they asked at once, or that ping without
 * end.
 */
export const http2Windows: Attack = {
  name: 'http2-windows',
  databases: bothDatabases,
  short: [],
  setting: 'secure',
  async run(target, _random, budget) {
    const findings = createFindings();
    const sessions: ClientHttp2Session[] = [];
    const open = async (initialWindowSize?: number) => {
      const session = connect(target.address, {
        rejectUnauthorized: false,
        ...(initialWindowSize === undefined ? {} : { settings: { initialWindowSize } }),
      });
      session.on('error', () => {});
      sessions.push(session);
      await Promise.race([once(session, 'connect'), once(session, 'close')]).catch(() => {});
      return session;
    };
    const ask = (session: ClientHttp2Session, asked: string) => {
      if (session.closed || session.destroyed) return null;
      return session.request({ ':path': asked }).on('error', () => {});
    };
    try {
      for (let index = 0; index < budget.count(5, 100); index += 1) {
        const session = await open(0);
        for (let stream = 0; stream < 50; stream += 1) ask(session, stream % 2 === 0 ? path : '/');
      }
      const hasty = await open();
      for (let index = 0; index < budget.count(100, 5_000); index += 1) {
        ask(hasty, '/api/config')?.close(8);
        if (index % 100 === 0) await delay(1);
      }
      const pinging = await open();
      for (let index = 0; index < budget.count(100, 5_000) && !pinging.destroyed; index += 1) {
        pinging.ping(() => {});
        if (index % 100 === 0) await delay(1);
      }
      for (let turn = 0; turn < 5; turn += 1) {
        const { status } = await target.stranger().get('/api/config');
        findings.expect(status === 200, `beside such sessions a newcomer is answered with ${status}`);
        await delay(budget.count(50, 1_000));
      }
    } finally {
      for (const session of sessions) session.destroy();
    }
    return findings.list();
  },
};
