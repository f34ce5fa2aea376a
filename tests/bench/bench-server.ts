import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ScanOrder } from './scan.ts';

/** The product's own server in a process of its own. */
export interface BenchServer {
  readonly address: string;
  order(order: ScanOrder): Promise<{ ms: number; found: number; read: number }>;
}

/** Starts one, and ends it when the work is done. @param env beside where it listens */
export async function withBenchServer<Result>(
  env: Record<string, string>,
  work: (server: BenchServer) => Promise<Result>,
): Promise<Result> {
  const child = fork(fileURLToPath(new URL('./scan-server.ts', import.meta.url)), {
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', ...env },
  });
  const next = async <Answer>() => ((await once(child, 'message')) as [Answer])[0];
  const { port } = await next<{ port: number }>();
  try {
    return await work({
      address: `http://127.0.0.1:${port}`,
      order(order) {
        child.send(order);
        return next();
      },
    });
  } finally {
    child.disconnect();
    await once(child, 'exit');
  }
}
