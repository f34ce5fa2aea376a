import { expect, test } from 'vitest';
import { readPlaywright, readVitest } from '#scripts/test-reports.ts';

test('of a unit test that failed stands what it says and what was wrong, without colours and places; of a file that did not load its name', () => {
  const wrong = {
    status: 'failed',
    fullName: 'a set is empty',
    failureMessages: ['\u001b[31mAssertionError\u001b[39m: expected 1\nto be 2\n    at set.test.ts:3'],
  };
  const right = { status: 'passed', fullName: 'a set is full', failureMessages: [] };
  expect(
    readVitest({
      numPassedTests: 1,
      numFailedTests: 1,
      numPendingTests: 2,
      testResults: [
        { name: 'set.test.ts', status: 'failed', message: '', assertionResults: [wrong, right] },
        { name: 'map.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
      ],
    }),
  ).toEqual({
    passed: 1,
    failed: 1,
    skipped: 2,
    failures: ['a set is empty: AssertionError: expected 1 to be 2', 'map.test.ts: no such module'],
  });
});

test('of a journey that failed stands where, what it says, what was wrong first, and what its page showed', () => {
  const attachments = [
    { name: 'screenshot', path: 'closes.png' },
    { name: 'error-context', path: 'closes.md' },
  ];
  const spec = (title: string, message?: string) => ({
    title,
    ok: message === undefined,
    tests: [{ projectName: 'tv', results: [{}, { ...(message && { error: { message }, attachments }) }] }],
  });
  expect(
    readPlaywright({
      stats: { expected: 1, unexpected: 1, flaky: 1, skipped: 0 },
      suites: [
        {
          title: 'menu.test.ts',
          specs: [spec('opens')],
          suites: [{ title: 'at night', specs: [spec('closes', 'it is open')] }],
        },
      ],
    }),
  ).toEqual({
    passed: 1,
    failed: 2,
    skipped: 0,
    failures: ['[tv] at night › closes: it is open'],
    pages: ['closes.md'],
  });
});
