import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/**
 * Waits for the line of a program's output that `pattern` matches, and gives back what its group holds. The output is
 * read on afterwards, so that it never fills.
 * @throws when the program ends before
 */
export function readLine(child: ChildProcess, output: Readable | null, pattern: RegExp): Promise<string> {
  if (output === null) throw new Error(`${child.spawnfile} has no output to read`);
  const said: string[] = [];
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error(`${child.spawnfile} did not start:\n${said.join('\n')}`)));
    createInterface(output).on('line', (line) => {
      const found = pattern.exec(line)?.[1];
      if (found === undefined) said.push(line);
      else resolve(found);
    });
  });
}

/** Ends a program that was started here. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'close');
  child.kill();
  await ended;
}
