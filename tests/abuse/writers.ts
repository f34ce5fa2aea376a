import { setTimeout as delay } from 'node:timers/promises';
import { fieldsOf } from './client.ts';
import type { Findings } from './findings.ts';
import type { Member } from './people.ts';
import type { Target } from './target.ts';

/** AccountServices who save one change after the other, and remember what was acknowledged. */
export interface Writers {
  /** @returns once all of them have had so many answers of 200, or time is up */
  untilWritten(count: number): Promise<void>;
  /** Ends the product while they write, starts it again, and reads what is there before anybody writes on. */
  surviveEnd(signal: NodeJS.Signals): Promise<void>;
}

interface Writer {
  member: Member;
  acknowledged: number;
  tried: number;
}

/** Below what a person may ask for in the long run (`personCallsPerSecond`). */
const pauseMs = 25;
const patienceMs = 20_000;

/**
 * Has people write while something is done, and looks in the end at what is there: nothing that was acknowledged may be
 * missing, and nothing be there that nobody wrote. @param fine statuses that a write may have; 0: no answer
 */
export async function writeBeside(
  target: Target,
  count: number,
  findings: Findings,
  fine: readonly number[],
  act: (writers: Writers) => Promise<void>,
): Promise<void> {
  const writers: Writer[] = [];
  for (let index = 0; index < count; index += 1)
    writers.push({ member: await target.member(), acknowledged: 0, tried: 0 });
  const statuses = new Set<number>();
  let isWriting = true;
  let running = Promise.all(writers.map(write));

  async function write(writer: Writer): Promise<void> {
    while (isWriting) {
      writer.tried += 1;
      const number = writer.tried;
      const { status } = await writer.member.client.ask('PUT', '/users/profile', {
        body: { display_name: `entry ${number}` },
      });
      if (status === 200) writer.acknowledged = number;
      statuses.add(status);
      await delay(pauseMs);
    }
  }

  async function stop(): Promise<void> {
    isWriting = false;
    await running;
  }

  async function checkKept(after: string): Promise<void> {
    for (const { member, acknowledged, tried } of writers) {
      const reply = await member.client.get('/auth/me');
      const user = fieldsOf(reply).user as { display_name?: string | null } | undefined;
      const kept = Number(/^entry (\d+)$/.exec(user?.display_name ?? 'entry 0')?.[1]);
      findings.expect(reply.status === 200, `after ${after} an account answers ${reply.status}`, 'loss');
      if (reply.status === 200)
        findings.expect(kept >= acknowledged && kept <= tried, `after ${after} an acknowledged write is lost`, 'loss');
    }
  }

  const untilWritten: Writers['untilWritten'] = async (least) => {
    const goals = writers.map(({ acknowledged }) => acknowledged + least);
    const end = performance.now() + patienceMs;
    while (writers.some(({ acknowledged }, index) => acknowledged < (goals[index] ?? 0)) && performance.now() < end)
      await delay(pauseMs);
  };
  const surviveEnd: Writers['surviveEnd'] = async (signal) => {
    await target.process.end(signal);
    await stop();
    await target.process.start();
    await checkKept(signal);
    isWriting = true;
    running = Promise.all(writers.map(write));
  };
  try {
    await act({ untilWritten, surviveEnd });
    await untilWritten(1);
  } finally {
    await stop();
  }
  await checkKept('all of it');
  const others = [...statuses].filter((status) => !fine.includes(status));
  findings.expect(others.length === 0, `writes are answered with ${others.join(', ')}`);
}
