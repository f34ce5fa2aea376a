import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from './build-stamp.ts';
import type { Proof } from './proof-floors.ts';
import type { Outcome } from './test-reports.ts';

/** Servers and threads start by the hundred: what one of them has compiled, the others need not. */
const compileCache = join(projectFolder, '.build', 'compile-cache');

/**
 * Runs one proof. What it prints goes straight to the terminal, or, where others run beside it, in one piece when it
 * has ended. A runner that ends badly without naming a failed test, or that ran none, has failed all the same.
 */
export async function runProof(proof: Proof, isAlone: boolean): Promise<Outcome> {
  const { name, report } = proof;
  if (report) await rm(report.file, { force: true });
  if (isAlone) console.log(`\n── ${name}`);
  const { status, said } = await run(proof, isAlone);
  if (!isAlone) process.stdout.write(`\n── ${name}\n${said}`);
  const hasEndedWell = status === 0;
  if (!report) return { passed: hasEndedWell ? 1 : 0, failed: hasEndedWell ? 0 : 1, skipped: 0, failures: [] };
  const counted = await readFile(report.file, 'utf8').then(
    (text) => report.read(JSON.parse(text) as never),
    () => ({ passed: 0, failed: 0, skipped: 0, failures: [] }),
  );
  const hasFailedSilently = counted.failed === 0 && (!hasEndedWell || counted.passed === 0);
  return hasFailedSilently ? { ...counted, failed: 1 } : counted;
}

function run(
  { command: [program = '', ...args], env }: Proof,
  isAlone: boolean,
): Promise<{ status: number; said: string }> {
  const output = isAlone ? 'inherit' : 'pipe';
  let said = '';
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: projectFolder,
      stdio: ['ignore', output, output],
      env: { ...process.env, NODE_COMPILE_CACHE: compileCache, ...env },
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    }
    child
      .on('close', (code) => resolve({ status: code ?? 1, said }))
      .on('error', (error) => resolve({ status: 127, said: `${error.message}\n` }));
  });
}
