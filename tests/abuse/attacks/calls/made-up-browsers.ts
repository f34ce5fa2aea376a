import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '#contract/limits.ts';
import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import type { Client } from '../../client.ts';
import { repeat } from '../../client.ts';
import { createFindings } from '../../findings.ts';
import { countRows } from '../../rows.ts';

const writtenWithinMs = 4 * limits.watchedWriteSeconds * 1_000;

/** Browsers that nobody has, thousands of them from one address, report what they watch, beside one that is there. */
export const madeUpBrowsers: Attack = {
  name: 'made-up-browsers',
  databases: bothDatabases,
  short: bothDatabases,
  setting: 'home',
  async run(target, random, budget) {
    const findings = createFindings();
    const viewer = await target.visitor({ cookie: `viewer=real-viewer-${random(1e6)}-of-the-site` });
    const ids = await listIds(viewer);
    const statusesOfViewer = await watchAll(viewer, ids);
    findings.expect(
      statusesOfViewer.every((status) => status === 204),
      `reports are answered with ${statusesOfViewer.join()}`,
    );
    const before = await countOnceWritten(1);
    findings.expect(before > 0, 'what a viewer has watched is not written down');

    const attacker = await target.visitor();
    const statuses = await repeat(budget.count(70, 10_000), 16, async (index) => {
      const cookie = { cookie: `viewer=made-up-browser-${index}-${random(1e9)}` };
      const unknown = Array.from({ length: limits.watchedPerCall }, (_, at) => `made-up-video-${index}-${at}`);
      return [...(await watchAll(attacker, ids, cookie)), await report(attacker, unknown, cookie)];
    });
    // An address that has used up what it may send is refused.
    const odd = statuses.flat().filter((status) => status !== 204 && status !== 429);
    findings.expect(odd.length === 0, `reports are answered with ${[...new Set(odd)].join()}`);
    const written = (await countOnceWritten(before + 1)) - before;
    findings.expect(written > 0, 'no made-up browser is written down: nothing was tried');
    findings.expect(written <= limits.watchedNewBrowsers, `${written} browsers of one address are written down`);

    const listed = JSON.parse((await viewer.get('/api/watched')).body) as { total?: number };
    findings.expect(listed.total === ids.length, 'the viewer’s own list has changed');
    return findings.list();

    /** At the end of a round a log is written at once, otherwise a few seconds later. */
    async function countOnceWritten(least: number): Promise<number> {
      const until = performance.now() + writtenWithinMs;
      for (;;) {
        const count = await countRows(target, 'watched_owners');
        if (count >= least || performance.now() > until) return count;
        await delay(100);
      }
    }
  },
};

/** Watches all videos, in two reports or more, and asks for one, with which the next round begins. @returns the answers */
async function watchAll(client: Client, ids: readonly string[], headers?: Record<string, string>): Promise<number[]> {
  const statuses = [await report(client, ids.slice(0, 1), headers)];
  for (let at = 1; at < ids.length; at += limits.watchedPerCall)
    statuses.push(await report(client, ids.slice(at, at + limits.watchedPerCall), headers));
  await client.get('/api/video/top-left', headers);
  return statuses;
}

async function report(client: Client, ids: readonly string[], headers: Record<string, string> = {}): Promise<number> {
  return (await client.post('/api/watched', { ids }, headers)).status;
}

async function listIds(client: Client): Promise<string[]> {
  const { status, body } = await client.get('/api/videos/by-tags?limit=100');
  if (status !== 200) throw new Error(`the list of videos is answered with ${status}: ${body}`);
  return (JSON.parse(body) as { videos: { id: string }[] }).videos.map(({ id }) => id);
}
