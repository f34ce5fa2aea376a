import { existsSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemFolders } from '#server/media/sandbox/find-confinement.ts';
import { runSandboxed, sandboxedInput } from '#server/media/sandbox/sandbox.ts';
import { hasLandlock } from '#tests/support/confinements.ts';
import { putFile } from '#tests/support/media/videos.ts';
import { processesWith } from '#tests/support/processes/processes.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const limits = { seconds: 20, processorSeconds: 20, memoryMegabytes: 500, outputBytes: 1_000 };
const launcher = fileURLToPath(new URL('../../../../../../src/server/media/sandbox/launcher.ts', import.meta.url));

async function output(script: string, input?: number): Promise<string> {
  const program = { program: '/bin/sh', args: ['-c', script], executable: systemFolders, folder: temporaryFolder() };
  const call = { ...program, limits, confinement: { kind: 'landlock' } as const };
  const end = await runSandboxed(input === undefined ? call : { ...call, input });
  return end.kind === 'ended' ? end.output.toString().trim() : end.kind;
}

/** Launchers of this process that have no order yet: a program has arguments of its own. */
const listWaiting = () => processesWith(launcher).filter((pid) => parentOf(pid) === process.pid);

function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}

async function untilOneWaits(): Promise<number> {
  await vi.waitFor(() => expect(listWaiting()).toHaveLength(1));
  return listWaiting()[0] ?? 0;
}

describe.runIf(hasLandlock)('after a program one launcher', () => {
  test('waits, and becomes the next one, with an input that was opened meanwhile', async () => {
    await output('true');
    const waiting = await untilOneWaits();
    const file = await open(putFile(temporaryFolder(), 'film.mp4', 'its bytes'));
    onTestFinished(() => file.close());
    expect(await output(`echo $$; cat ${sandboxedInput}`, file.fd)).toBe(`${waiting}\nits bytes`);
  });

  test('that was killed meanwhile is missed by nobody', async () => {
    await output('true');
    const waiting = await untilOneWaits();
    process.kill(waiting, 'SIGKILL');
    await vi.waitUntil(() => !existsSync(`/proc/${waiting}`));
    expect(await output('echo here')).toBe('here');
  });

  test('waits for no more than 5 s', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await output('true');
    await vi.waitUntil(() => listWaiting().length === 1);
    await vi.advanceTimersByTimeAsync(5_000);
    await vi.waitUntil(() => listWaiting().length === 0);
  });
});
