import { fileURLToPath } from 'node:url';
import type { Reply } from './client.ts';
import type { Findings } from './findings.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
/** A line of a stack, a source file, words of a database or of the system. */
const innerWords =
  /\n\s+at .+:\d+|node_modules|\bSQLITE_|\bsyscall\b|\bE(ACCES|CONNREFUSED|CONNRESET|MFILE|NOENT|NOSPC|PIPE)\b|RangeError|TypeError/;

export interface Inspector {
  /** May stand in no answer and no line of the log from now on: a password, a token. */
  keepSecret(...texts: string[]): void;
  answer(method: string, path: string, reply: Reply): void;
  logLine(line: string): void;
}

/**
 * Reads every answer and every line of the log for what must not be told. @param folders that nobody outside has to
 * know
 */
export function createInspector(findings: Findings, folders: readonly string[]): Inspector {
  const secrets = new Set<string>();
  return {
    keepSecret: (...texts) => {
      for (const text of texts) secrets.add(text);
    },
    answer(method, path, { status, body }) {
      const asked = `${method} ${path.slice(0, 60)}`;
      findings.expect(status !== 500, `${asked} is answered with 500`);
      const told =
        [...folders, project].find((folder) => body.includes(folder)) ??
        (status >= 400 ? innerWords.exec(body)?.[0] : undefined);
      findings.expect(told === undefined, `${asked} tells '${told?.trim()}'`, 'leak');
    },
    logLine(line) {
      for (const secret of secrets)
        findings.expect(!line.includes(secret), `the log tells a secret: ${line.slice(0, 200)}`, 'leak');
      findings.expect(!/^\{"level":(50|60)/.test(line), `the log says: ${line.slice(0, 300)}`);
    },
  };
}
