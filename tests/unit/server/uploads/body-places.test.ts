import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BodyPlace } from '#server/features/uploads/receiving/upload-room.ts';
import { BodyPlaces, placeLimits } from '#server/features/uploads/receiving/upload-room.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

/** People who send bodies, and which of their bodies were ended. */
class Site {
  readonly clock = settableClock();
  readonly places = new BodyPlaces(this.clock, placeLimits.total);
  readonly ended: string[] = [];

  take(person: string, name = person, address: string | null = person): BodyPlace {
    const refuse = ({ code }: { code: string }) => void this.ended.push(`${name}: ${code}`);
    return this.places.take({ person, address, refuse });
  }

  /** Takes so many; those that are refused do not count. @returns how many there were */
  takeMany(count: number, person: string, address: string | null = person): number {
    let taken = 0;
    for (let at = 0; at < count; at += 1)
      try {
        this.take(person, `${person} ${at}`, address);
        taken += 1;
      } catch {}
    return taken;
  }

  look(times: number): void {
    for (let look = 0; look < times; look += 1) this.places.look();
  }
}

test('one person and one address have only so many bodies at a time; this machine is no address', () => {
  const site = new Site();
  expect(site.takeMany(20, 'ada', 'home')).toBe(placeLimits.perPerson);
  for (const person of ['bea', 'cleo', 'dora']) site.takeMany(16, person, 'home');
  expect(() => site.take('eve', 'eve', 'home')).toThrow('At most 64 files');
  expect(site.takeMany(16, 'eve', null)).toBe(16);
  expect(site.takeMany(16, 'fay', null)).toBe(16);
});

test('when all places are taken, the slowest body of whoever has most makes room for somebody with fewer', () => {
  const site = new Site();
  for (let person = 0; person < 16; person += 1) site.takeMany(15, `person-${person}`, null);
  const many = Array.from({ length: 16 }, (_, at) => site.take('many', `many ${at}`, null));
  for (const [at, place] of many.entries()) place.bytes = at === 7 ? 10 : 1_000_000;
  site.clock.pass(1_000);
  site.take('new', 'new', null);
  expect(site.ended).toEqual(['many 7: unavailable']);
});

test('many accounts of one address do not keep another address out', () => {
  const site = new Site();
  for (let address = 0; address < 4; address += 1)
    for (let person = 0; person < 64; person += 1) site.take(`${address} ${person}`, 'one of many', `crowd ${address}`);
  site.take('new', 'new', 'elsewhere');
  expect(site.ended).toEqual(['one of many: unavailable']);
});

test('whoever has fewer bodies than somebody else always gets a place, and never are there more than places', () => {
  const takes = fc.array(
    fc.record({ person: fc.nat(30), address: fc.nat(9), count: fc.integer({ min: 1, max: 40 }) }),
    {
      maxLength: 60,
    },
  );
  fc.assert(
    fc.property(takes, (all) => {
      const site = new Site();
      let taken = 0;
      for (const { person, address, count } of all) taken += site.takeMany(count, `${person}`, `${address}`);
      expect(taken - site.ended.length).toBeLessThanOrEqual(placeLimits.total);
      expect(() => site.take('new', 'new', 'elsewhere')).not.toThrow();
    }),
    { numRuns: 20 },
  );
});

test('a body that brings hardly anything while it is waited for is ended, and its place is free', () => {
  const site = new Site();
  const [slow, fast, waiting, heldUp] = ['slow', 'fast', 'waiting', 'held up'].map((name) => site.take('ada', name));
  for (const place of [slow, fast, heldUp]) if (place !== undefined) place.isReading = true;
  for (let look = 0; look <= placeLimits.looks; look += 1) {
    if (slow !== undefined) slow.bytes += 40;
    if (fast !== undefined) fast.bytes += placeLimits.leastBytes / placeLimits.looks + 1;
    if (heldUp !== undefined) heldUp.wasHeldUp = true;
    site.look(1);
  }
  expect(site.ended).toEqual(['slow: unavailable']);
  expect(waiting?.isReading).toBe(false);
  expect(site.takeMany(16, 'ada')).toBe(13);
});
