import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Sending {
  method: 'PUT' | 'PATCH';
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** Of curl, beside. */
  options?: readonly string[];
}

/** Sends a whole file by curl. @returns milliseconds @throws when it is not answered by a status of success */
export async function sendFile(file: string, { method, url, headers = {}, options = [] }: Sending): Promise<number> {
  const lines = Object.entries({ expect: '', ...headers }).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const shown = ['-s', '-k', '-o', '/dev/null', '-w', '%{http_code} %{time_total}'];
  const { stdout } = await run('curl', [...shown, '-X', method, ...lines, ...options, '-T', file, url]);
  const [status = '', seconds = ''] = stdout.split(' ');
  if (!status.startsWith('2')) throw new Error(`${method} was answered with ${status}.`);
  return Number(seconds) * 1_000;
}
