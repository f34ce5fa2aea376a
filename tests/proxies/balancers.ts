import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { findFreePort } from '#tests/support/free-port.ts';
import type { AtEnd } from '#tests/support/temporary-folder.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { findBlock, replaceAll } from './readme-blocks.ts';

export const balancerNames = ['haproxy', 'nginx', 'caddy'] as const;
export type BalancerName = (typeof balancerNames)[number];

interface Place {
  port: number;
  /** Ports of the servers, by name. */
  servers: Readonly<Record<string, number>>;
  /** For its files. */
  folder: string;
}

/** The header in which each answer through HAProxy names the server that gave it. */
export const serverHeader = 'x-served-by';

/**
 * Starts a real proxy that shares out calls to servers on this machine, as the README configures it but for names, ports
 * and TLS. @returns its address
 */
export async function startBalancer(name: BalancerName, servers: Place['servers'], atEnd: AtEnd): Promise<string> {
  const place = { port: await findFreePort(), servers, folder: temporaryFolder(atEnd) };
  const file = join(place.folder, 'configuration');
  const { configuration, command } = programs[name](place, file);
  writeFileSync(file, configuration);
  const [program = '', ...args] = command;
  const env = { PATH: process.env.PATH, HOME: place.folder };
  const child = spawn(program, args, { env, stdio: 'ignore' });
  atEnd(async () => {
    if (child.exitCode !== null) return;
    const ended = once(child, 'exit');
    // Told to end, Caddy waits for what runs, and nginx, which has children, does not.
    child.kill(name === 'nginx' ? 'SIGTERM' : 'SIGKILL');
    await ended;
  });
  const address = `http://localhost:${place.port}`;
  await vi.waitFor(async () => expect((await fetch(`${address}/healthz`)).status).toBe(200), { timeout: 120_000 });
  return address;
}

const programs: Record<BalancerName, (place: Place, file: string) => { configuration: string; command: string[] }> = {
  haproxy({ port, servers }, file) {
    const lines = Object.entries(servers).map(([name, server]) => `server ${name} 127.0.0.1:${server}`);
    const configuration = replaceAll(findBlock('haproxy', 'httpchk'), [
      [/bind .*/, `bind 127.0.0.1:${port}`],
      [/server one [^\n]*\n *server two .*/, [`http-response set-header ${serverHeader} %s`, ...lines].join('\n  ')],
      ['videos.example.org', 'localhost'],
    ]);
    return { configuration, command: ['/usr/sbin/haproxy', '-db', '-f', file] };
  },
  nginx({ port, servers, folder }, file) {
    const upstream = replaceAll(findBlock('nginx', 'upstream'), [
      [
        /server 10\.0\.0\.1:4400([^;]*);\n *server 10.*;/,
        Object.values(servers)
          .map((s) => `server 127.0.0.1:${s}$1;`)
          .join('\n  '),
      ],
    ]);
    const server = replaceAll(findBlock('nginx', 'proxy_pass'), [
      [/listen 443.*/, `listen 127.0.0.1:${port};`],
      ['videos.example.org', 'localhost'],
      [/ssl_certificate .*;/, ''],
      [/ssl_certificate_key .*;/, ''],
      ['http://127.0.0.1:4400', 'http://fourfold'],
    ]);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
      .join(' ');
    return {
      configuration: `
        ${process.getuid?.() === 0 ? 'user root;' : ''}
        daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
        events {}
        http { access_log off; ${temporary}
        ${upstream}
        ${server}
        }`,
      command: ['/usr/sbin/nginx', '-c', file],
    };
  },
  caddy({ port, servers }, file) {
    const site = replaceAll(findBlock('caddyfile', '10.0.0.2'), [
      ['videos.example.org {', `http://localhost:${port} {`],
      [
        '10.0.0.1:4400 10.0.0.2:4400',
        Object.values(servers)
          .map((server) => `127.0.0.1:${server}`)
          .join(' '),
      ],
      ['Host videos.example.org', 'Host localhost'],
    ]);
    return {
      configuration: `{\n  admin off\n}\n${site}`,
      command: ['caddy', 'run', '--adapter', 'caddyfile', '--config', file],
    };
  },
};
