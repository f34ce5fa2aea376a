import { existsSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemFolders } from '#server/media/sandbox/find-confinement.ts';
import { Pause } from '#server/media/sandbox/pause.ts';
import type { SandboxedCall, SandboxLimits } from '#server/media/sandbox/sandbox.ts';
import { processLimit, runSandboxed, sandboxedInput } from '#server/media/sandbox/sandbox.ts';
import { confinements, hasLandlock, unconfined } from '#tests/support/confinements.ts';
import { putFile } from '#tests/support/media/videos.ts';
import {
  isStopped,
  processesIn,
  processesWith,
  schedulingPolicy,
  sessionNice,
} from '#tests/support/processes/processes.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const limits: SandboxLimits = { seconds: 240, processorSeconds: 20, memoryMegabytes: 500, outputBytes: 100_000 };

let naps = 0;
/** Ten minutes, of a length that nobody else sleeps. */
function longNap(): string {
  naps += 1;
  return `600.${process.pid}${String(naps).padStart(3, '0')}`;
}

describe.each([unconfined, ...confinements])('a program confined by $kind', (confinement) => {
  function run(script: string, more: Partial<SandboxedCall> = {}) {
    const call = {
      program: '/bin/sh',
      args: ['-c', script],
      executable: systemFolders,
      folder: temporaryFolder(),
      limits,
      confinement,
    };
    return runSandboxed({ ...call, ...more });
  }

  async function output(script: string, more: Partial<SandboxedCall> = {}): Promise<string> {
    const end = await run(script, more);
    return end.kind === 'ended' ? end.output.toString() : end.kind;
  }

  test('gets its arguments as they are, whatever a shell would make of them', async () => {
    const wild = ['$(touch pwned)', '; exit 3', '`id`', "'", '-n'];
    const end = await run('', { program: '/usr/bin/printf', args: ['%s|', ...wild] });
    expect(end).toMatchObject({ kind: 'ended', code: 0 });
    expect(end.kind === 'ended' && end.output.toString()).toBe(wild.map((word) => `${word}|`).join(''));
  });

  test('may start a thousand processes and threads beyond what runs already, and no more', async () => {
    const most = Number(await output('ulimit -u 2>/dev/null || ulimit -p'));
    expect(most).toBeGreaterThan(1_000);
    // What else the machine runs comes and goes.
    expect(Math.abs(most - processLimit())).toBeLessThan(1_000);
  });

  test('finds nothing of ours in its environment', async () => {
    vi.stubEnv('FOURFOLD_SECRET', 'hidden');
    onTestFinished(() => void vi.unstubAllEnvs());
    const variables = await output('env; echo end');
    expect(variables).toContain('end');
    expect(variables).not.toMatch(/hidden|HOME|DATABASE/);
  });

  test('inherits its input and nothing else that is open', async () => {
    const handle = await open(putFile(temporaryFolder(), 'a', 'the bytes'));
    onTestFinished(() => handle.close());
    const script = 'for number in 0 1 2 3 4 5 6 7 8 9; do if true 2>/dev/null <&$number; then echo $number; fi; done';
    expect((await output(script, { input: handle.fd })).trim().split('\n')).toEqual(['0', '1', '2', '4']);
    expect((await output(script)).trim().split('\n')).toEqual(['0', '1', '2']);
  });

  test('runs at the lowest priority, in a private folder', async () => {
    const folder = temporaryFolder();
    expect((await output('echo "$(nice) $PWD"', { folder })).trim()).toBe(`19 ${folder}`);
  });

  test('has a low weight among sessions, where the kernel weighs them', async () => {
    const control = new AbortController();
    const nap = longNap();
    const end = run(`exec sleep ${nap}`, { signal: control.signal });
    end.catch(() => {});
    const pid = await vi.waitFor(() => {
      const [found] = processesWith(nap);
      expect(found).toBeDefined();
      return found ?? 0;
    });
    expect(sessionNice(pid)).toBe(sessionNice(process.pid) === null ? null : 10);
    control.abort();
  });

  test('reads the file that was opened, whatever its name is now', async () => {
    const handle = await open(putFile(temporaryFolder(), 'odd\n-vf %03d.mp4', 'the bytes'));
    expect(await output(`cat ${sandboxedInput}`, { input: handle.fd })).toBe('the bytes');
    await handle.close();
  });

  test('cannot write a file, not even into its own folder', async () => {
    const folder = temporaryFolder();
    expect(await run('head -c 5000 /dev/zero > here; exit 0', { folder })).not.toEqual({ kind: 'crashed' });
    expect(existsSync(join(folder, 'here')) ? readFileSync(join(folder, 'here')).length : 0).toBe(0);
  });

  test('writes into its folder where it may, up to its limit', async () => {
    const folder = temporaryFolder();
    const script = 'echo much > here; head -c 5000 /dev/zero > there; exit 0';
    const writing = { ...limits, fileBytes: 100_000 };
    expect(await run(script, { folder, limits: writing })).toMatchObject({ kind: 'ended', code: 0 });
    expect(readFileSync(join(folder, 'here'), 'utf8')).toBe('much\n');
    expect(readFileSync(join(folder, 'there'))).toHaveLength(5_000);
    const end = await run('exec head -c 5000000 /dev/zero > here', { folder, limits: writing });
    expect(end).toEqual({ kind: 'limit', limit: 'output' });
    expect(readFileSync(join(folder, 'here')).length).toBeLessThanOrEqual(100_352);
  });

  test('whose disk is full says so', async () => {
    const end = await run('echo "av_interleaved_write_frame(): No space left on device" >&2; exit 228');
    expect(end).toEqual({ kind: 'limit', limit: 'disk_full' });
  });

  test('is heard while it speaks', async () => {
    const heard: string[] = [];
    const folder = temporaryFolder();
    // It goes on when it was heard, and not before.
    const script = 'echo first; until [ -e heard ]; do sleep 0.05; done; echo second';
    const end = await run(script, {
      folder,
      onOutput: (chunk) => {
        heard.push(chunk.toString());
        putFile(folder, 'heard', '');
      },
    });
    expect(end).toMatchObject({ kind: 'ended', code: 0, output: Buffer.alloc(0) });
    expect(heard).toEqual(['first\n', 'second\n']);
  });

  test('stands still while it is paused, for which no time counts, and goes on', async () => {
    const pause = new Pause();
    const folder = temporaryFolder();
    const started = Promise.withResolvers<void>();
    const script = 'echo started; until [ -e go ]; do sleep 0.05; done; echo done';
    const end = run(script, {
      folder,
      pause,
      limits: { ...limits, seconds: 60 },
      onOutput: () => started.resolve(),
    });
    await started.promise;
    pause.set(true);
    const isStill = () => processesIn(folder).filter(isStopped).length > 0;
    await vi.waitFor(() => expect(isStill()).toBe(true));
    putFile(folder, 'go', '');
    expect(isStill()).toBe(true);
    pause.set(false);
    expect(await end).toMatchObject({ kind: 'ended', code: 0 });
  });

  test('that is not wanted any more ends, though it stands still', async () => {
    const control = new AbortController();
    const pause = new Pause();
    const folder = temporaryFolder();
    const script = 'echo started; while :; do sleep 1; done';
    const end = run(script, { folder, pause, signal: control.signal, onOutput: () => pause.set(true) });
    await vi.waitFor(() => expect(processesIn(folder).some(isStopped)).toBe(true));
    control.abort(new Error('cancelled'));
    await expect(end).rejects.toThrow('cancelled');
    await vi.waitFor(() => expect(processesIn(folder)).toEqual([]));
  });

  test('that fails is told by its code, and what it says is kept in part', async () => {
    const end = await run('head -c 1000000 /dev/zero | tr "\\0" x >&2; exit 7');
    expect(end).toMatchObject({ kind: 'ended', code: 7 });
    expect(end.kind === 'ended' && end.said.length).toBe(64 * 1024);
  });

  test('that dies by SIGSEGV has crashed', async () => {
    expect(await run('kill -SEGV $$')).toEqual({ kind: 'crashed' });
  });

  test('that does not exist has failed', async () => {
    const end = await run('', { program: '/nowhere/ffmpeg', args: [] });
    expect(end.kind === 'ended' && end.code).toBe(confinement.kind === 'bubblewrap' ? 1 : 127);
  });

  test('is killed when it hangs', async () => {
    const nap = longNap();
    expect(await run(`exec sleep ${nap}`, { limits: { ...limits, seconds: 0.3 } })).toEqual({
      kind: 'limit',
      limit: 'time',
    });
    await vi.waitFor(() => expect(processesWith(nap)).toEqual([]));
  });

  test('is killed when it computes without end', async () => {
    expect(await run('while :; do :; done', { limits: { ...limits, processorSeconds: 1 } })).toEqual({
      kind: 'limit',
      limit: 'time',
    });
  });

  test('is killed when it eats memory', async () => {
    expect(await run('exec tail /dev/zero')).toEqual({ kind: 'limit', limit: 'memory' });
  });

  test('is killed when it writes without end', async () => {
    expect(await run('exec cat /dev/zero')).toEqual({ kind: 'limit', limit: 'output' });
    expect(await run('exec cat /dev/zero >&2')).toEqual({ kind: 'limit', limit: 'output' });
  });

  test('is killed when nobody wants it any more', async () => {
    const control = new AbortController();
    const nap = longNap();
    const end = run(`exec sleep ${nap}`, { signal: control.signal });
    control.abort(new Error('cancelled'));
    await expect(end).rejects.toThrow('cancelled');
    await expect(run('exit 0', { signal: control.signal })).rejects.toThrow('cancelled');
    await vi.waitFor(() => expect(processesWith(nap)).toEqual([]));
  });

  test('is killed together with everything that it has started', async () => {
    const nap = longNap();
    expect(await output(`sleep ${nap} >/dev/null 2>&1 & echo started`)).toBe('started\n');
    await vi.waitFor(() => expect(processesWith(nap)).toEqual([]));
  });
});

test.runIf(hasLandlock)('a program that may wait gets the processor time that nobody else wants', async () => {
  const control = new AbortController();
  const policyOf = async (whenIdle: boolean) => {
    const nap = longNap();
    const end = runSandboxed({
      ...{ program: '/bin/sleep', args: [nap], executable: systemFolders, folder: temporaryFolder(), limits },
      ...{ confinement: { kind: 'landlock' }, whenIdle, signal: control.signal },
    });
    end.catch(() => {});
    return vi.waitFor(() => {
      const [pid] = processesWith(nap);
      expect(pid).toBeDefined();
      return schedulingPolicy(pid ?? 0);
    });
  };
  expect([await policyOf(true), await policyOf(false)]).toEqual([5, 0]);
  control.abort();
});

test('a program is in a process group of its own', async () => {
  // The fifth field is the process group.
  const fields = `read -r stat </proc/$$/stat; set -- $stat; echo "$1 $5"`;
  const end = await runSandboxed({
    program: '/bin/sh',
    args: ['-c', fields],
    executable: [],
    folder: temporaryFolder(),
    limits,
    confinement: unconfined,
  });
  const [pid, group] = end.kind === 'ended' ? end.output.toString().trim().split(' ') : [];
  expect(Number(pid)).toBeGreaterThan(1);
  expect(pid).toBe(group);
});

describe('out of its process group', () => {
  async function leave(confinement: SandboxedCall['confinement'], nap: string) {
    const script = `setsid sleep ${nap} >/dev/null 2>&1 & sleep 0; echo started`;
    const call = {
      program: '/bin/sh',
      args: ['-c', script],
      executable: systemFolders,
      folder: temporaryFolder(),
      limits,
      confinement,
    };
    expect(await runSandboxed(call)).toMatchObject({ kind: 'ended', code: 0 });
  }

  test.each(confinements)('nothing escapes that $kind confines', async (confinement) => {
    const nap = longNap();
    await leave(confinement, nap);
    await vi.waitFor(() => expect(processesWith(nap)).toEqual([]));
  });
});
