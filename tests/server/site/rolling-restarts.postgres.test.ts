import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { findBlock, replaceAll } from '#tests/proxies/readme-blocks.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { ensurePackages } from '#tests/support/debian-packages.ts';
import { findFreePort } from '#tests/support/free-port.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import type { ServerProcess } from '#tests/support/processes/server-process.ts';
import { runServer } from '#tests/support/processes/server-process.ts';
import { isWholeSoak } from '#tests/support/soak.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

/** `npm run soak` restarts each server five times. */
const rounds = isWholeSoak ? 5 : 1;
const patient = { timeout: 120_000, interval: 100 };

const hasHaproxy = await ensurePackages(['haproxy']).then(
  () => true,
  () => false,
);

interface Haproxy {
  address: string;
  /** Whether the proxy sends calls to a server: `one` or `two`. */
  isUp(server: string): Promise<boolean>;
}

/** As the README configures it. */
async function startHaproxy([one, two]: readonly [number, number]): Promise<Haproxy> {
  const [port, folder] = [await findFreePort(), temporaryFolder()];
  const [file, socket] = [join(folder, 'haproxy.cfg'), join(folder, 'socket')];
  const configuration = replaceAll(findBlock('haproxy', 'httpchk'), [
    [/bind .*/, `bind 127.0.0.1:${port}`],
    ['10.0.0.1:4400', `127.0.0.1:${one}`],
    ['10.0.0.2:4400', `127.0.0.1:${two}`],
  ]);
  writeFileSync(
    file,
    `global\n  stats socket ${socket}\n${configuration.replaceAll('videos.example.org', 'localhost')}`,
  );
  const child = spawn('/usr/sbin/haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  return {
    address: `http://localhost:${port}`,
    async isUp(server) {
      const connection = connect(socket).end('show stat\n');
      const rows = (await text(connection)).split('\n').map((row) => row.split(','));
      const place = rows[0]?.indexOf('status') ?? -1;
      return rows.find(([backend, name]) => backend === 'fourfold' && name === server)?.[place] === 'UP';
    },
  };
}

/** Calls again and again until it is told to end. @returns what did not succeed, and how often it was called */
function keepCalling(call: () => Promise<string | null>) {
  let isOver = false;
  const outcome = (async () => {
    const failures: string[] = [];
    let calls = 0;
    while (!isOver) {
      const failure = await call().catch(String);
      calls += 1;
      if (failure !== null) failures.push(failure);
    }
    return { failures, calls };
  })();
  return {
    end() {
      isOver = true;
      return outcome;
    },
  };
}

test.runIf(hasHaproxy)(
  'servers behind HAProxy that are restarted one after the other fail no pick and no byte of a video',
  async () => {
    const library = temporaryFolder();
    putVideos(library, 'a.mp4', 'b.mp4', 'c.mp4', 'd.mp4', 'e.mp4');
    const ports = [await findFreePort(), await findFreePort()] as const;
    const site = { ...(await migratedSite()), LIBRARY_DIRS: library, FFMPEG_PATH: '/none', TRUST_PROXY: 'on' };
    const start = (port: number) => runServer({ ...site, PORT: String(port), DRAIN_SECONDS: '3' });
    const servers: ServerProcess[] = [start(ports[0])];
    await servers[0]?.says(/Looked through/);
    servers.push(start(ports[1]));
    await servers[1]?.address();
    const { address: proxy, isUp } = await startHaproxy(ports);
    const bothAreUp = async () => [await isUp('one').catch(() => false), await isUp('two').catch(() => false)];
    await expect.poll(bothAreUp, patient).toEqual([true, true]);

    const whole = Buffer.from(await (await fetch(`${proxy}/api/video/stream?path=a.mp4`)).arrayBuffer());
    const pick = async () => {
      const answer = await fetch(`${proxy}/api/video/top-left`);
      await answer.arrayBuffer();
      return answer.ok ? null : `a pick: ${answer.status}`;
    };
    const range = async () => {
      const answer = await fetch(`${proxy}/api/video/stream?path=a.mp4`, { headers: { range: 'bytes=100-1999' } });
      const bytes = Buffer.from(await answer.arrayBuffer());
      return answer.status === 206 && bytes.equals(whole.subarray(100, 2_000)) ? null : `a range: ${answer.status}`;
    };
    const callers = [keepCalling(pick), keepCalling(pick), keepCalling(range)];

    for (const [place, port] of Array.from({ length: rounds }, () => [...ports.entries()]).flat()) {
      servers[place]?.kill('SIGTERM');
      expect(await servers[place]?.ended()).toBe(0);
      const next = start(port);
      servers[place] = next;
      await next.address();
      // The other server may only leave once the proxy sends calls to this one.
      await expect.poll(bothAreUp, patient).toEqual([true, true]);
    }
    const outcomes = await Promise.all(callers.map((caller) => caller.end()));
    expect(outcomes.flatMap(({ failures }) => failures)).toEqual([]);
    for (const { calls } of outcomes) expect(calls).toBeGreaterThan(10);
  },
);
