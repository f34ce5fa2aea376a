import { expect, test } from 'vitest';
import { firstPartBytes, maxPartBytes, minPartBytes, nextPartBytes, shrinkPart } from '#app/transfer/attempt.ts';
import { secondsLeft, TransferRate } from '#app/transfer/file-transfer.ts';

const mib = 1024 ** 2;

test('the speed is that of the last ten seconds, and falls when nothing moves', () => {
  const rate = new TransferRate();
  expect(rate.perSecond(0)).toBeNull();
  for (let at = 0; at < 1_000; at += 100) rate.add(100, at);
  expect(rate.perSecond(900)).toBeNull();
  for (let at = 1_000; at <= 30_000; at += 100) rate.add(100, at);
  expect(rate.perSecond(30_000)).toBeCloseTo(1_000, -2);
  for (let at = 30_100; at <= 50_000; at += 100) rate.add(300, at);
  expect(Math.abs((rate.perSecond(50_000) as number) - 3_000)).toBeLessThan(100);
  const [soon, late] = [rate.perSecond(55_000) as number, rate.perSecond(70_000)];
  expect([soon > 1_000 && soon < 2_000, late]).toEqual([true, 0]);
});

test('the speed is known again a second after the clock was set back', () => {
  const rate = new TransferRate();
  for (let at = 100_000; at <= 103_000; at += 100) rate.add(100, at);
  for (let at = 1_000; at <= 3_000; at += 100) rate.add(300, at);
  expect(rate.perSecond(3_000)).toBeCloseTo(3_000, -2);
});

test('the time left is unknown without a speed', () => {
  expect([secondsLeft(1_000, 100), secondsLeft(1_000, 0), secondsLeft(1_000, null)]).toEqual([10, null, null]);
});

test('a part takes about five seconds, grows to double at most, and keeps its bounds', () => {
  expect(nextPartBytes(2 * mib, 2_000, maxPartBytes)).toBe(4 * mib);
  expect(nextPartBytes(8 * mib, 10_000, maxPartBytes)).toBe(4 * mib);
  expect(nextPartBytes(2 * mib, 600_000, maxPartBytes)).toBe(minPartBytes);
  expect(nextPartBytes(48 * mib, 1, maxPartBytes)).toBe(maxPartBytes);
  expect(nextPartBytes(16 * mib, 1, 16 * mib)).toBe(16 * mib);
});

test('a bound is made smaller until none is left', () => {
  const bounds = [maxPartBytes];
  for (let next = shrinkPart(maxPartBytes); next !== null; next = shrinkPart(next)) bounds.push(next);
  expect(bounds).toEqual([maxPartBytes, firstPartBytes, 512 * 1024, minPartBytes]);
});
