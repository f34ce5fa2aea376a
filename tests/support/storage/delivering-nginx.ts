import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findBlock, replaceAll } from '#tests/proxies/readme-blocks.ts';
import { ensurePackages } from '../debian-packages.ts';
import { findFreePort } from '../free-port.ts';
import type { AtEnd } from '../temporary-folder.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const tries = 600;

/**
 * Starts nginx in front of a store, as the README configures it but for names, TLS and places.
 * @param from the address of a bucket that everybody may read, with a slash at its end
 * @returns its origin
 */
export async function startDeliveringNginx(
  { from, key, site }: { from: string; key: string; site: string },
  atEnd: AtEnd,
): Promise<string> {
  await ensurePackages(['nginx']);
  const [port, folder] = [await findFreePort(), temporaryFolder(atEnd)];
  const file = join(folder, 'nginx.conf');
  const server = replaceAll(findBlock('nginx', 'secure_link'), [
    ['/var/cache/nginx/videos', join(folder, 'kept')],
    ['listen 443 ssl http2', `listen 127.0.0.1:${port}`],
    ['media.example.org', '127.0.0.1'],
    [/ssl_certificate .*;/, ''],
    [/ssl_certificate_key .*;/, ''],
    [/https:\/\/videos\.example\.org/g, site],
    ['DELIVERY_KEY', key],
    ['https://s3.example.org/BUCKET/', from],
  ]);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  writeFileSync(
    file,
    `${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
    events {}
    http { access_log off; ${temporary}
    ${server}
    }`,
  );
  const child = spawn('/usr/sbin/nginx', ['-c', file], { stdio: 'ignore' });
  atEnd(async () => {
    if (child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });
  const origin = `http://127.0.0.1:${port}`;
  for (let left = tries; left > 0; left -= 1) {
    const reply = await fetch(origin).catch(() => null);
    if (reply?.status === 403) return origin;
    await delay(100);
  }
  throw new Error('nginx does not start.');
}
