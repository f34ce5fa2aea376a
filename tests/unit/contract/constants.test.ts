import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { readCode, rowsOf } from './specification.ts';

const rows = rowsOf(9, 'Name', 'Value', 'Unit');

test('the constants of the specification are those of the code, with the same values', () => {
  const specified = Object.fromEntries(rows.map((row) => [row.Name, row.Value]));
  const coded = Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, valueText(value)]));

  expect(specified).toEqual(coded);
});

test('every constant is used by the code', () => {
  const code = readCode().join('\n');
  const taken = [...code.matchAll(/\{([^{}]*)\} = limits;/g)].flatMap(([, names = '']) => names.split(','));
  const used = new Set([
    ...[...code.matchAll(/\blimits\.(\w+)/g)].map(([, name]) => name),
    ...taken.map((name) => name.trim().split(':')[0]),
  ]);

  expect(Object.keys(limits).filter((name) => !used.has(name))).toEqual([]);
});

test('no constant is specified twice', () => {
  const names = rows.map((row) => row.Name);

  expect(new Set(names).size).toBe(names.length);
});

test.each(rows)('the name of $Name says its unit', ({ Name, Unit }) => {
  expect(unitOf(Name!)).toBe(Unit);
});

function valueText(value: number | string | readonly (number | string)[]): string {
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** Rates and factors end in what they are counted by, so that their unit is told apart from a length. */
const factors: Record<string, string> = {
  healthPerMissingBufferSecond: '',
  healthPerDroppedPercent: '',
  healthPointsPerMbps: '',
};

const units = {
  Seconds: 's',
  Ms: 'ms',
  Minutes: 'min',
  Hours: 'h',
  Days: 'd',
  Px: 'px',
  Bytes: 'bytes',
  KiB: 'KiB',
  Megabytes: 'MB',
  Lines: 'lines',
  Characters: 'characters',
  Percent: '%',
  Mbps: 'Mbps',
  Kbps: 'kbit/s',
  Gigabytes: 'GB',
};

function unitOf(name: string): string {
  if (name in factors) return factors[name]!;
  return Object.entries(units).find(([ending]) => name.endsWith(ending))?.[1] ?? '';
}
