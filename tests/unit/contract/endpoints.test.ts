import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { CallFacts, Endpoint } from '#contract/endpoint.ts';
import { factsOf, usualFacts } from '#contract/endpoint.ts';
import * as endpoints from '#contract/endpoints.ts';
import * as params from '#contract/entities/fields.ts';
import { callFiles, isServerPath } from '#contract/server-paths.ts';
import { rowsOf } from './specification.ts';

const calls = Object.entries(endpoints as Record<string, Endpoint>);
const specified = rowsOf(7, 'Call', 'Method', 'Path', 'Who', 'Facts');

describe('the calls of §7', () => {
  test('are those of the code: name, method, path and who may call', () => {
    const inWords = specified.map((row) => `${row.Call} ${row.Method} ${row.Path} ${row.Who}`);
    const inCode = calls.map(([name, { method, path, caller }]) => `${name} ${method} ${path} ${caller}`);

    expect(inWords.sort()).toEqual(inCode.sort());
  });

  test('have the facts of the code', () => {
    const inWords = specified.map((row) => `${row.Call}: ${row.Facts}`);
    const inCode = calls.map(([name, { facts }]) => `${name}: ${wordsOf(facts ?? {})}`);

    expect(inWords.sort()).toEqual(inCode.sort());
  });

  test('name no fact that is the usual one', () => {
    const usual: Partial<CallFacts> = usualFacts;
    const repeated = calls.flatMap(([name, { facts = {}, method, caller }]) => {
      const derived: Partial<CallFacts> = { ...usual, ...factsOf({ method, caller }) };
      return (Object.keys(facts) as (keyof CallFacts)[])
        .filter((fact) => facts[fact] === derived[fact])
        .map((fact) => `${name} ${fact}`);
    });

    expect(repeated).toEqual([]);
  });

  test('leave the gate to who may call, and take the cookie for nothing that changes something', () => {
    const facts = calls.map(([name, endpoint]) => ({
      name,
      method: endpoint.method,
      caller: endpoint.caller,
      ...factsOf(endpoint),
    }));

    expect(facts.filter(({ gate, caller }) => (gate === 'open') !== (caller === 'open' || caller === 'key'))).toEqual(
      [],
    );
    expect(facts.filter(({ credential, method }) => credential === 'bearer-or-cookie' && method !== 'GET')).toEqual([]);
    expect(facts.filter(({ isRepeatable, method }) => isRepeatable && method === 'GET')).toEqual([]);
  });

  test('stand where the worker, the gate and the development server look for them', () => {
    const paths = calls.map(([, { path }]) => path);

    expect(paths.filter((path) => !isServerPath(path))).toEqual([]);
    expect(paths.filter((path) => !/^\/(api|auth|users)\//.test(path)).sort()).toEqual([...callFiles].sort());
  });

  test('never share a method and a path', () => {
    const addresses = calls.map(([, { method, path }]) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);

    expect(new Set(addresses).size).toBe(addresses.length);
  });

  test('that change something ask who is calling, but for the gate, signing in and what a player reports', () => {
    const open = calls
      .filter(([, { method, caller }]) => method !== 'GET' && (caller === 'open' || caller === 'anyone'))
      .map(([name]) => name);

    expect(open.sort()).toEqual([
      'checkVideos',
      'chooseQuality',
      'enterSite',
      'forgetWatched',
      'openInvitation',
      'pollDeviceSignIn',
      'recordPerformance',
      'recordWatched',
      'refreshSession',
      'register',
      'reportVideo',
      'resolveVideoUrl',
      'signIn',
      'startDeviceSignIn',
    ]);
  });

  test('under /users/admin and /api/admin are for administrators', () => {
    const guarded = calls.filter(([, { path }]) => path.includes('/admin'));

    expect(guarded.map(([, { caller }]) => caller)).toEqual(guarded.map(() => 'admin'));
    expect(guarded).toHaveLength(50);
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

/** The facts of a call as the specification writes them. */
function wordsOf({
  credential,
  expiredToken,
  needsDatabase,
  bodyKiB,
  deadlineSeconds,
  isRepeatable,
  budget,
  refused,
}: Partial<CallFacts>): string {
  const words = [
    credential === 'bearer-or-cookie' ? 'cookie' : (credential ?? ''),
    expiredToken === 'ignored' ? 'any token' : '',
    needsDatabase === false ? 'no database' : '',
    bodyKiB === undefined ? '' : `${bodyKiB} KiB`,
    deadlineSeconds === undefined ? '' : `${deadlineSeconds} s`,
    isRepeatable === false ? 'not repeatable' : '',
    budget === undefined ? '' : `${budget} budget`.replace('none', 'no'),
    refused === undefined || refused === 'list' ? (refused ?? '') : `${refused} refused`,
  ];
  return words.filter((word) => word !== '').join(', ');
}

/** The name of each call's parameter type, as its file declares it; null for a call without. */
function readDeclaredParams(): Map<string, string | null> {
  const files = ['endpoints.ts', 'start.ts'].map((file) => new URL(`../../../src/contract/${file}`, import.meta.url));
  const source = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  const declarations = source.matchAll(/export const (\w+) = endpoint<\{\s+(?:params: (\w+);\s+)?/g);
  return new Map([...declarations].map((match) => [match[1]!, match[2] ?? null]));
}

function fieldsOf(type: string): string[] {
  const schema = `${type[0]!.toLowerCase()}${type.slice(1)}Schema`;
  return Object.keys((params as unknown as Record<string, z.ZodObject>)[schema]!.shape);
}
