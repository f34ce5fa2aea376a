import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '#server/clock.ts';
import type { JailCall, JailLimits } from '#server/media/jail.ts';
import { jailedInput, runJailed } from '#server/media/jail.ts';
import { findOffline } from '#server/media/offline.ts';
import { createWorkFolders } from '#server/media/work-folders.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { putFile } from '#tests/support/videos.ts';

const execute = promisify(execFile);
const limits: JailLimits = { seconds: 20, processorSeconds: 20, memoryMegabytes: 500, outputBytes: 100_000 };

function jail(script: string, more: Partial<JailCall> = {}) {
  return runJailed({ program: '/bin/sh', args: ['-c', script], folder: temporaryFolder(), limits, ...more });
}

async function output(script: string, more: Partial<JailCall> = {}): Promise<string> {
  const end = await jail(script, more);
  return end.kind === 'ended' ? end.output.toString() : end.kind;
}

/** A process that ended and was not waited for counts as gone. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ');
  } catch {
    return false;
  }
}

describe('a jailed program', () => {
  test('gets its arguments as they are, whatever a shell would make of them', async () => {
    const wild = ['$(touch pwned)', '; exit 3', '`id`', "'", '-n'];
    const end = await runJailed({ program: '/usr/bin/printf', args: ['%s|', ...wild], folder: temporaryFolder(), limits });
    expect(end).toMatchObject({ kind: 'ended', code: 0 });
    expect(end.kind === 'ended' && end.output.toString()).toBe(wild.map((word) => `${word}|`).join(''));
  });

  test('finds nothing of ours in its environment', async () => {
    vi.stubEnv('FOURFOLD_SECRET', 'hidden');
    expect(await output('cat /proc/self/environ')).not.toMatch(/hidden|HOME|DATABASE/);
    vi.unstubAllEnvs();
  });

  test('runs at the lowest priority, in a private folder, in a group of its own', async () => {
    const folder = temporaryFolder();
    // The fifth field is the process group.
    const fields = `read -r stat </proc/$$/stat; set -- $stat; echo "$1 $5 $(nice) $PWD"`;
    const [pid, group, nice, cwd] = (await output(fields, { folder })).trim().split(' ');
    expect({ nice, cwd, isLeader: pid === group }).toEqual({ nice: '19', cwd: folder, isLeader: true });
  });

  test('reads the file that was opened, whatever its name is now', async () => {
    const handle = await open(putFile(temporaryFolder(), 'odd\n-vf %03d.mp4', 'the bytes'));
    expect(await output(`cat ${jailedInput}`, { input: handle.fd })).toBe('the bytes');
    await handle.close();
  });

  test('cannot write a file, not even into its own folder', async () => {
    const folder = temporaryFolder();
    expect(await jail('head -c 5000 /dev/zero > here; exit 0', { folder })).not.toEqual({ kind: 'crashed' });
    expect(existsSync(join(folder, 'here')) ? readFileSync(join(folder, 'here')).length : 0).toBe(0);
  });

  test('that fails is told by its code, and what it says is kept in part', async () => {
    const end = await jail('head -c 1000000 /dev/zero | tr "\\0" x >&2; exit 7');
    expect(end).toMatchObject({ kind: 'ended', code: 7 });
    expect(end.kind === 'ended' && end.said.length).toBe(64 * 1024);
  });

  test('that dies by SIGSEGV has crashed', async () => {
    expect(await jail('kill -SEGV $$')).toEqual({ kind: 'crashed' });
  });
});

describe('a jailed program that is kept offline', () => {
  const folders = createWorkFolders(mkdtempSync(join(tmpdir(), 'fourfold-jail-')), systemClock);

  test('reaches nothing, where the machine allows to keep it, and everything else stays as it is', async () => {
    const offline = await findOffline(folders);
    const server = createServer((socket) => socket.end('reached')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const call = { program: '/bin/bash', args: ['-c', `cat <&4; cat </dev/tcp/127.0.0.1/${port}`], folder: temporaryFolder(), limits };
    const handle = await open(putFile(temporaryFolder(), 'a', 'the bytes, '));
    onTestFinished(() => handle.close());
    const reachable = await runJailed({ ...call, input: handle.fd });
    expect(reachable.kind === 'ended' && reachable.output.toString()).toBe('the bytes, reached');
    const again = await open(putFile(temporaryFolder(), 'a', 'the bytes, '));
    onTestFinished(() => again.close());
    const kept = await runJailed({ ...call, input: again.fd, offline });
    expect(kept.kind === 'ended' && [kept.code, kept.output.toString()]).toEqual(offline.length > 0 ? [1, 'the bytes, '] : [0, 'the bytes, reached']);
    expect(await jail('exec tail /dev/zero', { offline })).toEqual({ kind: 'limit', limit: 'memory' });
    expect(await jail('exec sleep 600', { offline, limits: { ...limits, seconds: 0.3 } })).toEqual({ kind: 'limit', limit: 'time' });
  });

  test('is not kept, and runs all the same, where nothing can keep it', async () => {
    expect(await findOffline(folders, [['no-such-program'], ['false'], ['env']])).toEqual([]);
    expect(await output('echo here', { offline: [] })).toBe('here\n');
  });
});

describe('a jailed program is killed', () => {
  test('when it hangs', async () => {
    expect(await jail('exec sleep 600', { limits: { ...limits, seconds: 0.3 } })).toEqual({ kind: 'limit', limit: 'time' });
  });

  test('when it computes without end', async () => {
    expect(await jail('while :; do :; done', { limits: { ...limits, processorSeconds: 1 } })).toEqual({ kind: 'limit', limit: 'time' });
  });

  test('when it eats memory', async () => {
    expect(await jail('exec tail /dev/zero')).toEqual({ kind: 'limit', limit: 'memory' });
  });

  test('when it writes without end', async () => {
    expect(await jail('exec cat /dev/zero')).toEqual({ kind: 'limit', limit: 'output' });
    expect(await jail('exec cat /dev/zero >&2')).toEqual({ kind: 'limit', limit: 'output' });
  });

  test('when nobody wants it any more', async () => {
    const control = new AbortController();
    const end = jail('exec sleep 600', { signal: control.signal });
    control.abort(new Error('cancelled'));
    await expect(end).rejects.toThrow('cancelled');
    await expect(jail('exit 0', { signal: control.signal })).rejects.toThrow('cancelled');
  });

  test('together with everything that it has started', async () => {
    const left = Number(await output('sleep 600 >/dev/null 2>&1 & echo $!'));
    expect(left).toBeGreaterThan(1);
    await vi.waitFor(() => expect(isAlive(left)).toBe(false));
  });
});

test('without a descriptor to spare there is no program, which is said; later there is one', async () => {
  const script = fileURLToPath(new URL('../../../support/without-descriptors.ts', import.meta.url));
  const { stdout } = await execute('/bin/sh', ['-c', 'ulimit -n 100; exec "$0" "$1"', process.execPath, script]);
  expect(JSON.parse(stdout)).toEqual([expect.stringContaining('EMFILE'), 'here']);
});
