import type { ChildProcess } from 'node:child_process';
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '#tests/support/free-port.ts';

/** A server that files are sent to, in a process of its own. */
export interface UploadPeer {
  address: string;
  /** Where it stores them. */
  folder: string;
  stop(): Promise<void>;
}

const patienceMs = 10_000;

/** WebDAV: one worker, bodies straight to the disk that the files are on, nothing written down. */
export async function startNginxDav(parent: string): Promise<UploadPeer> {
  const [port, folder] = [await findFreePort(), await mkdtemp(join(parent, 'nginx-'))];
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  const config = `
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    worker_processes 1; daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
    events { worker_connections 1024; }
    http {
      access_log off; client_max_body_size 0; ${temporary}
      server { listen 127.0.0.1:${port}; root ${folder}; location / { dav_methods PUT DELETE; } }
    }`;
  await writeFile(join(folder, 'nginx.conf'), config);
  const child = spawn('/usr/sbin/nginx', ['-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
  const address = `http://127.0.0.1:${port}`;
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += 50) {
    if ((await fetch(address).catch(() => null)) !== null) return peer(child, address, folder);
    await wait(50);
  }
  throw new Error('nginx does not answer.');
}

/** @tus/server with @tus/file-store, as their documentation starts them. */
export async function startTusServer(parent: string): Promise<UploadPeer> {
  const folder = await mkdtemp(join(parent, 'tus-'));
  const child = fork(fileURLToPath(new URL('./tus-server-process.ts', import.meta.url)), [folder]);
  const [port] = (await once(child, 'message')) as [number];
  return peer(child, `http://127.0.0.1:${port}`, folder);
}

function peer(child: ChildProcess, address: string, folder: string): UploadPeer {
  return {
    address,
    folder,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
