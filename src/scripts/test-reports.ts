import { stripVTControlCharacters } from 'node:util';

/** The result of the tests of one proof. */
export interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
  /** One line for each named test that failed: its title and the first line of its message. */
  failures: string[];
  /** The files that say what the pages of failed journeys showed. */
  pages?: string[];
}

/** Only the first line of a message is kept; the runner has printed the rest. */
const maxMessageLength = 300;

function failureLine(test: string, message = ''): string {
  const [said = ''] = stripVTControlCharacters(message).split('\n    at ');
  return `${test}: ${said.replaceAll(/\s+/g, ' ').trim().slice(0, maxMessageLength)}`;
}

interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  testResults?: {
    name: string;
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

export function readVitest({
  numPassedTests,
  numFailedTests,
  numPendingTests,
  testResults = [],
}: VitestReport): Outcome {
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (status === 'failed' && failed.length === 0) return failureLine(name, message);
    return failed.map(({ fullName, failureMessages }) => failureLine(fullName, failureMessages[0]));
  });
  return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests, failures };
}

interface PlaywrightSuite {
  title: string;
  suites?: PlaywrightSuite[];
  specs: {
    title: string;
    ok: boolean;
    tests: { projectName: string; results: PlaywrightResult[] }[];
  }[];
}

interface PlaywrightResult {
  error?: { message?: string };
  attachments?: { name: string; path?: string }[];
}

interface PlaywrightReport {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number };
  suites?: PlaywrightSuite[];
}

export function readPlaywright({ stats, suites = [] }: PlaywrightReport): Outcome {
  const { expected, unexpected, flaky, skipped } = stats;
  const failures = suites.flatMap(failuresOf);
  return { passed: expected, failed: unexpected + flaky, skipped, failures, pages: suites.flatMap(pagesOf) };
}

function failuresOf({ title, specs, suites = [] }: PlaywrightSuite): string[] {
  const own = specs.filter(({ ok }) => !ok);
  return [
    ...own.flatMap((spec) =>
      spec.tests.map((test) =>
        failureLine(
          `[${test.projectName}] ${title} › ${spec.title}`,
          test.results.find(({ error }) => error)?.error?.message,
        ),
      ),
    ),
    ...suites.flatMap(failuresOf),
  ];
}

function pagesOf({ specs, suites = [] }: PlaywrightSuite): string[] {
  const results = specs.flatMap(({ tests }) => tests.flatMap((test) => test.results));
  const named = results.flatMap(({ attachments = [] }) => attachments.filter(({ name }) => name === 'error-context'));
  return [...named.flatMap(({ path }) => path ?? []), ...suites.flatMap(pagesOf)];
}

export const readAbuse = ({
  passed,
  failed,
  failures = [],
}: {
  passed: number;
  failed: number;
  failures?: string[];
}): Outcome => ({
  passed,
  failed,
  skipped: 0,
  failures,
});
