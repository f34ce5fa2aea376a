import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { Endpoint } from '#contract/endpoint.ts';
import * as endpoints from '#contract/endpoints.ts';
import * as params from '#contract/entities/params.ts';
import { rowsOf } from './specification.ts';

const calls = Object.entries(endpoints as Record<string, Endpoint>);
const specified = rowsOf(7, 'Call', 'Method', 'Path', 'Who');

describe('the calls of §7', () => {
  test('are those of the code: name, method, path and who may call', () => {
    const inWords = specified.map((row) => `${row.Call} ${row.Method} ${row.Path} ${row.Who}`);
    const inCode = calls.map(([name, { method, path, caller }]) => `${name} ${method} ${path} ${caller}`);

    expect(inWords.sort()).toEqual(inCode.sort());
  });

  test('never share a method and a path', () => {
    const addresses = calls.map(([, { method, path }]) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);

    expect(new Set(addresses).size).toBe(addresses.length);
  });

  test('that change something ask who is calling, but for the gate, signing in and what a player reports', () => {
    const open = calls.filter(([, { method, caller }]) => method !== 'GET' && (caller === 'open' || caller === 'anyone')).map(([name]) => name);

    expect(open.sort()).toEqual([
      'chooseQuality',
      'enterSite',
      'pollDeviceSignIn',
      'recordPerformance',
      'refreshSession',
      'register',
      'resolveVideoUrl',
      'signIn',
      'startDeviceSignIn',
    ]);
  });

  test('under /users/admin and /api/admin are for administrators', () => {
    const guarded = calls.filter(([, { path }]) => path.includes('/admin'));

    expect(guarded.map(([, { caller }]) => caller)).toEqual(guarded.map(() => 'admin'));
    expect(guarded).toHaveLength(8);
  });
});

describe('the parameters of a call', () => {
  const declared = readDeclaredParams();

  test('are read from every declaration', () => {
    expect([...declared.keys()].sort()).toEqual(calls.map(([name]) => name).sort());
  });

  test.each(calls)('of %s are those that its path names', (name, { path }) => {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
    const type = declared.get(name);

    expect(type === null ? [] : fieldsOf(type!)).toEqual(named);
  });
});

/** The name of each call's parameter type, as `endpoints.ts` declares it; null for a call without. */
function readDeclaredParams(): Map<string, string | null> {
  const source = readFileSync(new URL('../../../src/contract/endpoints.ts', import.meta.url), 'utf8');
  const declarations = source.matchAll(/export const (\w+) = endpoint<\{ (?:params: (\w+); )?/g);
  return new Map([...declarations].map((match) => [match[1]!, match[2] ?? null]));
}

function fieldsOf(type: string): string[] {
  const schema = `${type[0]!.toLowerCase()}${type.slice(1)}Schema`;
  return Object.keys((params as unknown as Record<string, z.ZodObject>)[schema]!.shape);
}
