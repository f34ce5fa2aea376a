import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withinLimit } from '#app/platform/http/time-limit.ts';
import { recovered } from '#app/platform/link.ts';

/** Questions that are answered when the test says so, or never. */
interface Asked {
  signal: AbortSignal;
  answer(words: string): void;
}

let asked: Asked[];

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
});

afterEach(async () => {
  await vi.runAllTimersAsync();
  vi.useRealTimers();
});

const ask = (signal: AbortSignal) => new Promise<string>((answer) => asked.push({ signal, answer }));
const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);
const outcomeOf = (waiting: Promise<string>) => waiting.catch((error: Error) => error.name);

test('an answer in time is the result, and its limit ends nothing afterwards', async () => {
  const waiting = withinLimit({ seconds: 10 }, ask);
  await seconds(9.9);
  asked[0]?.answer('here');
  expect(await waiting).toBe('here');
  await seconds(10);
  expect(asked[0]?.signal.aborted).toBe(false);
});

test('what nobody answers ends at its limit, with its connection, also when the question heeds no signal', async () => {
  const outcome = outcomeOf(withinLimit({ seconds: 10 }, ask));
  await seconds(9.9);
  expect(asked[0]?.signal.aborted).toBe(false);
  await seconds(0.1);
  expect([await outcome, asked[0]?.signal.aborted]).toEqual(['Unanswered', true]);
});

test("the caller's own abort ends it at once", async () => {
  const caller = new AbortController();
  const outcome = outcomeOf(withinLimit({ seconds: 10, signal: caller.signal }, ask));
  caller.abort();
  expect([await outcome, asked[0]?.signal.aborted]).toEqual(['AbortError', true]);
});

test('a question that was unanswered for 2 s is asked anew when the network recovers, with the whole limit', async () => {
  const outcome = outcomeOf(withinLimit({ seconds: 10, isRepeatable: true }, ask));
  await seconds(2);
  recovered.emit();
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  await seconds(9.9);
  asked[0]?.answer('too late');
  asked[1]?.answer('here');
  expect(await outcome).toBe('here');
});

test.each([
  ['one that was asked a moment ago', true, 1.9],
  ['one that must not be asked twice', false, 9],
])('when the network recovers, %s goes on', async (_, isRepeatable, waited) => {
  void outcomeOf(withinLimit({ seconds: 10, isRepeatable }, ask));
  await seconds(waited);
  recovered.emit();
  expect(asked).toHaveLength(1);
});
