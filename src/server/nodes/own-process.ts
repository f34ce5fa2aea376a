import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { systemClock } from '../clock.ts';

/** This process as other servers of the site know it. */
export interface OwnProcess {
  /** Names the machine. */
  machine: string;
  /** Names this process for others in the same place. */
  text: string;
}

const { pid } = process;
/** Numbers of processes mean something within one boot of one machine, and within one container. */
const place = shorten(
  `${readText(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')) || hostname()} ${readText(() => readlinkSync('/proc/self/ns/pid'))}`,
);

export function describeProcess(): OwnProcess {
  const id = readText(() => readFileSync('/etc/machine-id', 'utf8').trim());
  return { machine: shorten(id || hostname()), text: `${place}:${pid}:${startOf(pid)}` };
}

/** Whether a process runs; null if this machine cannot tell. @param text as it names itself */
export function isProcessRunning(text: string): boolean | null {
  if (!text.startsWith(`${place}:`)) return null;
  const [other = '', since = ''] = text.slice(place.length + 1).split(':');
  const found = startOf(Number(other));
  if (found !== '') return found === since;
  return isThere(Number(other)) ? null : false;
}

/**
 * When a process has started, in ticks since the boot; `ended` for one that its parent has not
 * waited for yet; empty if that cannot be read.
 */
function startOf(number: number): string {
  const stat = readText(() => readFileSync(`/proc/${number}/stat`, 'utf8'));
  // The name of the program, in brackets, may hold blanks. State and start are fields 3 and 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? 'ended' : (fields[19] ?? '');
}

function isThere(number: number): boolean {
  try {
    return process.kill(number, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function readText(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

function shorten(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** npm passes on the Ctrl+C that the terminal has sent to the process already. */
const sameKeyMs = 1_000;

/** Calls `stop` on the first SIGTERM or SIGINT. A further one ends the process at once. */
export function onStopSignal(stop: (signal: NodeJS.Signals) => void): void {
  let pressedAt: number | null = null;
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (signal === 'SIGINT' && pressedAt !== null && systemClock.elapsed() - pressedAt < sameKeyMs) return;
    if (signal === 'SIGINT') pressedAt = systemClock.elapsed();
    if (isStopping) process.exit(1);
    isStopping = true;
    stop(signal);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
}
