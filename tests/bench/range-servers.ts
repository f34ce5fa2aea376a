import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '#tests/support/free-port.ts';
import { serveCommand } from '#tests/support/serve-command.ts';
import { untilIdle } from './site.ts';

/** A server of the large video, on core 0. */
export interface RangeServer {
  pid: number;
  url: string;
  stop(): Promise<void>;
}

const project = fileURLToPath(new URL('../../', import.meta.url));
const patienceMs = 20_000;

/** @param folder has the video in its `library` */
export async function startProduct(folder: string): Promise<RangeServer> {
  const [port, data] = [await findFreePort(), await mkdtemp(join(folder, 'data-'))];
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  const env = {
    PATH: path,
    HOST: '127.0.0.1',
    PORT: String(port),
    DATA_DIR: data,
    LIBRARY_DIRS: join(folder, 'library'),
    TRUST_PROXY: 'on',
  };
  const command = serveCommand('tests/bench/site-server.ts');
  const child = spawn('taskset', ['-c', '0', 'sh', '-c', command], { cwd: project, env, stdio: 'ignore' });
  const origin = `http://127.0.0.1:${port}`;
  const server = await serveFrom(child, `${origin}/api/video/stream?path=film.mp4`, data);
  await untilIdle(origin);
  return server;
}

/** Nothing but what the runtime itself takes. */
export async function startBareNode(folder: string): Promise<RangeServer> {
  const [port, data] = [await findFreePort(), await mkdtemp(join(folder, 'bare-'))];
  const script = fileURLToPath(new URL('./range-bare.ts', import.meta.url));
  const child = spawn(
    'taskset',
    ['-c', '0', process.execPath, script, join(folder, 'library', 'film.mp4'), String(port)],
    { stdio: 'ignore' },
  );
  return serveFrom(child, `http://127.0.0.1:${port}/film.mp4`, data);
}

/** One worker, sendfile, nothing written down. */
export async function startNginx(folder: string): Promise<RangeServer> {
  const [port, data] = [await findFreePort(), await mkdtemp(join(folder, 'nginx-'))];
  await writeFile(join(data, 'nginx.conf'), nginxConfig(port, data, join(folder, 'library')));
  const child = spawn('taskset', ['-c', '0', 'nginx', '-c', join(data, 'nginx.conf')], { stdio: 'ignore' });
  return serveFrom(child, `http://127.0.0.1:${port}/film.mp4`, data);
}

function nginxConfig(port: number, data: string, root: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${data}/${name};`)
    .join(' ');
  return `
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    worker_processes 1; daemon off; pid ${data}/nginx.pid; error_log ${data}/error.log;
    events { worker_connections 4096; }
    http {
      access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; ${temporary}
      types { video/mp4 mp4; }
      server { listen 127.0.0.1:${port}; root ${root}; }
    }`;
}

async function serveFrom(child: ChildProcess, url: string, data: string): Promise<RangeServer> {
  await untilItServes(child, url);
  return {
    pid: child.pid ?? 0,
    url,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
      await rm(data, { recursive: true, force: true });
    },
  };
}

async function untilItServes(child: ChildProcess, url: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < patienceMs && child.exitCode === null; waitedMs += 100) {
    const answer = await fetch(url, { headers: { range: 'bytes=0-9' } }).catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.status === 206) return;
    await wait(100);
  }
  throw new Error(`Nothing serves ${url}.`);
}
