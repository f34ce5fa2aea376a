import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { repeat } from '#server/repeat.ts';

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

test('a task is done again and again until it is stopped', () => {
  const task = vi.fn();
  const repetition = repeat(task, 100);
  vi.advanceTimersByTime(350);
  expect(task).toHaveBeenCalledTimes(3);
  repetition.stop();
  vi.advanceTimersByTime(1_000);
  expect(task).toHaveBeenCalledTimes(3);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('no rights');
    },
  ],
  ['rejects', () => Promise.reject(new Error('no rights'))],
])('one that %s is done again all the same, and says why once', async (_, task) => {
  const [tasks, faults] = [vi.fn(task), vi.fn()];
  onTestFinished(repeat(tasks, 100, faults).stop);
  await vi.advanceTimersByTimeAsync(500);
  expect(tasks).toHaveBeenCalledTimes(5);
  expect(faults.mock.calls).toEqual([[new Error('no rights')]]);
});

test('another fault is said, and so is the same one after a success', async () => {
  const outcomes = ['a', 'a', 'b', null, 'b'];
  const faults: string[] = [];
  const task = () => {
    const outcome = outcomes.shift() ?? null;
    if (outcome !== null) throw new Error(outcome);
  };
  onTestFinished(repeat(task, 100, (error) => faults.push((error as Error).message)).stop);
  await vi.advanceTimersByTimeAsync(500);
  expect(faults).toEqual(['a', 'b', 'b']);
});

test('a task that is still at work is not begun again', async () => {
  const work = Promise.withResolvers<void>();
  const task = vi.fn(() => work.promise);
  onTestFinished(repeat(task, 100).stop);
  await vi.advanceTimersByTimeAsync(300);
  expect(task).toHaveBeenCalledTimes(1);
  work.resolve();
  await vi.advanceTimersByTimeAsync(100);
  expect(task).toHaveBeenCalledTimes(2);
});

test('what fails because it was stopped is heard by nobody', async () => {
  const work = Promise.withResolvers<void>();
  const faults = vi.fn();
  const repetition = repeat(() => work.promise, 100, faults);
  await vi.advanceTimersByTimeAsync(100);
  repetition.stop();
  work.reject(new Error('the database is closed'));
  await vi.advanceTimersByTimeAsync(100);
  expect(faults).not.toHaveBeenCalled();
});
