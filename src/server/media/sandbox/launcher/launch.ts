import type { ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { compileCacheEnv } from '../../compile-cache.ts';
import { killGroup, startWatched } from '../watched-process.ts';
import type { LaunchOrder } from './launcher.ts';

const launcher = fileURLToPath(new URL('./launcher.ts', import.meta.url));

/** The launcher sets those itself that its order names: they would bind Node, too. */
const unlimited = {
  processorSeconds: 'unlimited',
  memory: 'unlimited',
  files: 'unlimited',
  processes: 'unlimited',
} as const;

/** Beyond the pause between two posters of a scan. */
const spareMs = 5_000;

/**
 * One launcher that waits for its order, as long as programs are run one after the other: to start Node takes longer
 * than to find a picture.
 */
let spare: { process: ChildProcess; expiry: NodeJS.Timeout } | null = null;

/**
 * Makes a launcher become a program.
 * @param input a descriptor of this process
 * @throws NotStarted
 */
export async function launch(order: Omit<LaunchOrder, 'input'>, input: number | undefined): Promise<ChildProcess> {
  const found = input === undefined ? null : `/proc/${process.pid}/fd/${input}`;
  const ready = takeSpare();
  const isReady = ready !== null && (await tell(ready, { ...order, input: found }));
  const child = isReady ? ready : await startLauncher(input ?? 'ignore');
  void keepSpare();
  // One that is gone again is told by its end.
  if (!isReady) await tell(child, { ...order, input: input === undefined ? null : 'inherited' });
  return child;
}

/** @returns whether it was there to hear it */
function tell({ stdin }: ChildProcess, order: LaunchOrder): Promise<boolean> {
  return new Promise((resolve) => {
    stdin?.once('finish', () => resolve(true)).on('error', () => resolve(false));
    stdin?.end(JSON.stringify(order));
  });
}

function takeSpare(): ChildProcess | null {
  if (spare === null) return null;
  const { process: child, expiry } = spare;
  clearTimeout(expiry);
  spare = null;
  if (child.exitCode !== null || child.signalCode !== null) {
    end(child);
    return null;
  }
  setHolding(child, true);
  return child;
}

/** What cannot be started now is started when it is needed. */
async function keepSpare(): Promise<void> {
  if (!areDescriptorsReachable()) return;
  const child = await startLauncher('ignore').catch(() => null);
  if (child === null) return;
  if (spare !== null) {
    end(child);
    return;
  }
  setHolding(child, false);
  const expiry = setTimeout(() => {
    spare = null;
    end(child);
  }, spareMs);
  expiry.unref();
  spare = { process: child, expiry };
}

function end(child: ChildProcess): void {
  killGroup(child);
  for (const stream of child.stdio) stream?.destroy();
}

const startLauncher = (input: number | 'ignore') =>
  startWatched([process.execPath, launcher], unlimited, {
    stdin: 'pipe',
    input,
    // The launcher's own: what it becomes has none.
    env: compileCacheEnv(),
  });

/** Whether this process stays for it. */
function setHolding(child: ChildProcess, holds: boolean): void {
  const streams = child.stdio.filter((stream) => stream !== null) as Socket[];
  for (const held of [child, ...streams]) holds ? held.ref() : held.unref();
}

/** A process with more rights than its user has shows nothing of itself to others of that user: proc(5). */
function areDescriptorsReachable(): boolean {
  return statSync('/proc/self/fd', { throwIfNoEntry: false })?.uid === process.geteuid?.();
}
