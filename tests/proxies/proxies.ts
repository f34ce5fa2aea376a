import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { vi } from 'vitest';
import { findFreePort } from '#tests/support/free-port.ts';
import type { AtEnd } from '#tests/support/temporary-folder.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { findBlock, replaceAll } from './readme-blocks.ts';

export const proxyNames = ['nginx', 'caddy'] as const;
export type ProxyName = (typeof proxyNames)[number];

/** A certificate for `localhost`. */
export interface Certificate {
  cert: string;
  key: string;
}

export function makeCertificate(folder: string): Certificate {
  const [cert, key] = [join(folder, 'fullchain.pem'), join(folder, 'privkey.pem')];
  const making = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', [...making, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  return { cert, key };
}

/** A real proxy in front of a server on this machine. It speaks TLS, HTTP/1.1 and HTTP/2. */
export class ReverseProxy {
  readonly port: number;
  private readonly command: readonly [program: string, ...args: string[]];
  private readonly folder: string;
  private child: ChildProcess | null = null;

  private constructor(port: number, folder: string, command: readonly [string, ...string[]]) {
    this.port = port;
    this.folder = folder;
    this.command = command;
  }

  /**
   * As the README configures it.
   * @param change of the configuration, beyond its names and ports
   */
  static async start(
    name: ProxyName,
    { serverPort, certificate, change = (text) => text }: ProxyOptions,
    atEnd: AtEnd,
  ): Promise<ReverseProxy> {
    const [port, folder] = [await findFreePort(), temporaryFolder(atEnd)];
    const file = join(folder, 'configuration');
    const configure = name === 'nginx' ? configureNginx : configureCaddy;
    writeFileSync(file, change(configure({ port, serverPort, certificate, folder })));
    const command: readonly [string, ...string[]] =
      name === 'nginx' ? ['/usr/sbin/nginx', '-c', file] : ['caddy', 'run', '--adapter', 'caddyfile', '--config', file];
    const proxy = new ReverseProxy(port, folder, command);
    await proxy.run();
    atEnd(() => proxy.stop());
    return proxy;
  }

  get address(): string {
    return `https://localhost:${this.port}`;
  }

  async run(): Promise<void> {
    const [program, ...args] = this.command;
    const env = { PATH: process.env.PATH, HOME: this.folder, XDG_DATA_HOME: this.folder, XDG_CONFIG_HOME: this.folder };
    this.child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'ignore'] });
    await vi.waitFor(() => this.ask(), { timeout: 20_000, interval: 50 });
  }

  /** All its connections break. */
  async stop(): Promise<void> {
    const child = this.child;
    this.child = null;
    if (child === null || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    // Told to end, Caddy waits for what runs, and nginx, which has children, does not.
    child.kill(this.command[0] === 'caddy' ? 'SIGKILL' : 'SIGTERM');
    await ended;
  }

  private async ask(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const asked = get(`${this.address}/healthz`, { rejectUnauthorized: false, agent: false }, (reply) => {
      reply.resume();
      if (reply.statusCode === 200) resolve();
      else reject(new Error(`The proxy answers with ${reply.statusCode}.`));
    });
    asked.on('error', reject);
    await promise;
  }
}

interface ProxyOptions {
  serverPort: number;
  certificate: Certificate;
  change?: (text: string) => string;
}

interface Place extends Omit<ProxyOptions, 'change'> {
  port: number;
  folder: string;
}

function configureNginx({ port, serverPort, certificate, folder }: Place): string {
  const server = replaceAll(findBlock('nginx', 'proxy_pass'), [
    ['listen 443', `listen 127.0.0.1:${port}`],
    ['videos.example.org', 'localhost'],
    [/ssl_certificate .*;/, `ssl_certificate ${certificate.cert};`],
    [/ssl_certificate_key .*;/, `ssl_certificate_key ${certificate.key};`],
    ['127.0.0.1:4400', `127.0.0.1:${serverPort}`],
  ]);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  return `
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
    events {}
    http { access_log off; ${temporary}
    ${server}
    }`;
}

function configureCaddy({ port, serverPort, certificate }: Place): string {
  const site = replaceAll(findBlock('caddyfile', 'reverse_proxy'), [
    ['videos.example.org {', `https://localhost:${port} {\n  tls ${certificate.cert} ${certificate.key}`],
    ['127.0.0.1:4400', `127.0.0.1:${serverPort}`],
  ]);
  return `{\n  admin off\n  auto_https disable_redirects\n}\n${site}`;
}
