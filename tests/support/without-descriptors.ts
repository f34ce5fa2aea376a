import { closeSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { runJailed } from '#server/media/jail.ts';

/*
 * Starts a program while this process has no descriptor left, and again when it has some: as a process of its own, whose limit is low. It says how
 * both went.
 */
const call = {
  program: '/bin/echo',
  args: ['here'],
  folder: tmpdir(),
  limits: { seconds: 20, processorSeconds: 20, memoryMegabytes: 500, outputBytes: 1_000 },
};

async function attempt(): Promise<string> {
  try {
    const end = await runJailed(call);
    return end.kind === 'ended' ? end.output.toString().trim() : end.kind;
  } catch (error) {
    return (error as Error).message;
  }
}

const held: number[] = [];
try {
  for (let count = 0; count < 10_000; count += 1) held.push(openSync('/dev/null', 'r'));
} catch {
  // That was the last one.
}
const without = await attempt();
for (const descriptor of held) closeSync(descriptor);
console.log(JSON.stringify([without, await attempt()]));
