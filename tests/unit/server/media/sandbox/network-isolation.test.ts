import { once } from 'node:events';
import { open } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '#server/clock.ts';
import { createWorkFolders } from '#server/media/ffmpeg/work-folders.ts';
import { findNetworkIsolation } from '#server/media/sandbox/find-confinement.ts';
import { runSandboxed } from '#server/media/sandbox/sandbox.ts';
import { putFile } from '#tests/support/media/videos.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const limits = { seconds: 240, processorSeconds: 20, memoryMegabytes: 500, outputBytes: 100_000 };
const createFolders = () => createWorkFolders(join(temporaryFolder(), 'work'), systemClock);

describe('a program without a sandbox', () => {
  function run(script: string, isolation: readonly string[], more: { input?: number; seconds?: number } = {}) {
    const { input, seconds = limits.seconds } = more;
    const call = {
      program: '/bin/bash',
      args: ['-c', script],
      executable: [],
      folder: temporaryFolder(),
      limits: { ...limits, seconds },
    };
    return runSandboxed({
      ...call,
      ...(input === undefined ? {} : { input }),
      confinement: { kind: 'none', isolation },
    });
  }

  test('reaches nothing, where the machine allows to keep it, and everything else stays as it is', async () => {
    const isolation = await findNetworkIsolation(createFolders());
    const server = createServer((socket) => socket.end('reached')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const script = `cat <&4; cat </dev/tcp/127.0.0.1/${port}`;
    const openInput = async () => {
      const handle = await open(putFile(temporaryFolder(), 'a', 'the bytes, '));
      onTestFinished(() => handle.close());
      return handle.fd;
    };
    const reachable = await run(script, [], { input: await openInput() });
    expect(reachable.kind === 'ended' && reachable.output.toString()).toBe('the bytes, reached');
    const kept = await run(script, isolation, { input: await openInput() });
    expect(kept.kind === 'ended' && [kept.code, kept.output.toString()]).toEqual(
      isolation.length > 0 ? [1, 'the bytes, '] : [0, 'the bytes, reached'],
    );
    expect(await run('exec tail /dev/zero', isolation)).toEqual({ kind: 'limit', limit: 'memory' });
    expect(await run('exec sleep 600', isolation, { seconds: 0.3 })).toEqual({ kind: 'limit', limit: 'time' });
  });

  test('keeps its network, and runs all the same, where nothing can take it away', async () => {
    expect(await findNetworkIsolation(createFolders(), [['no-such-program'], ['false'], ['env']])).toEqual([]);
    const end = await run('echo here', []);
    expect(end.kind === 'ended' && end.output.toString()).toBe('here\n');
  });
});
