import { expect, test } from 'vitest';
import type { Holders } from '#server/limits/shares.ts';
import { Shares } from '#server/limits/shares.ts';

function share(limits: ConstructorParameters<typeof Shares>[0], ...held: [string, Holders][]): Shares<string> {
  const shares = new Shares<string>(limits);
  for (const [item, holders] of held) shares.add(item, holders);
  return shares;
}

const [ada, bob] = [
  { person: 'ada', address: '192.0.2.1', network: '192.0.2.0/24' },
  { person: 'bob', address: '192.0.2.2', network: '192.0.2.0/24' },
];

test('a newcomer is told which of its limits is reached, the narrowest first, and who shares it', () => {
  const shares = share({ total: 3, perPerson: 1, perNetwork: 2 }, ['a', ada]);
  expect(shares.findFull(bob)).toBe(null);
  expect(shares.findFull(ada)).toMatchObject({ of: 'person', most: 1 });
  shares.add('b', bob);
  const full = shares.findFull({ network: '192.0.2.0/24' });
  expect([full?.of, full?.list()]).toEqual(['network', ['a', 'b']]);
  shares.add('c', { network: '198.51.100.0/24' });
  expect(shares.findFull({ person: 'eve' })?.of).toBe('total');
  expect(shares.findFull()?.list()).toEqual(['a', 'b', 'c']);
});

test('an item without a holder counts in the total alone', () => {
  const shares = share({ total: 2, perAddress: 1 }, ['a', { address: null }]);
  expect(shares.findFull({ address: null })).toBe(null);
  shares.add('b');
  expect(shares.findFull({ address: null })?.of).toBe('total');
  expect([...shares.largest('address')]).toEqual([]);
});

test('an item that is removed counts no more, however often it is removed', () => {
  const shares = share({ perPerson: 1 }, ['a', ada]);
  for (let time = 0; time < 2; time += 1) shares.remove('a');
  expect([shares.size, shares.count('person', 'ada'), shares.findFull(ada)]).toEqual([0, 0, null]);
});

test('the holder with the most is found, with its oldest item first', () => {
  const shares = share({}, ['a', bob], ['b', ada], ['c', ada]);
  expect([...shares.largest('person')]).toEqual(['b', 'c']);
  expect(shares.count('person', 'ada')).toBe(2);
  shares.remove('b');
  expect([...shares.largest('person')]).toEqual(['a']);
});
