import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserProgram } from './chromium.ts';
import { equip, packagedFolder, refuseOtherMachines, starts } from './chromium.ts';
import { DevTools } from './devtools.ts';
import { DevToolsPage } from './devtools-page.ts';
import type { NpmTarball } from './npm-tarball.ts';
import { expandArchive, expandProgram, unpackOnce } from './npm-tarball.ts';

/** Chromium 79.0.3945: the oldest engine that the product promises, as it shipped on TVs of 2021. */
const packagedChromium79: NpmTarball = {
  name: 'chrome-aws-lambda',
  version: '2.0.2',
  integrity: 'sha512-Aqgq5F93eJARkO+O/wD+2bCCFOVQNfA329sdPNl8ib0gsRjS00bAgTc9f5Mvto7H7yDuBcy0V3xJQZwMvmILUg==',
};

const switches = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--no-zygote',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-sync',
  '--mute-audio',
  '--remote-debugging-port=0',
];

/** A running Chromium 79 with one page. */
export interface OldBrowser {
  readonly page: DevToolsPage;
  close(): Promise<void>;
}

export async function startChromium79(): Promise<OldBrowser> {
  const program = await fetchChromium79();
  const profile = await mkdtemp(join(tmpdir(), 'fourfold-chromium-79-'));
  const child = spawn(program.path, [...switches, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...program.environment },
  });
  const close = async () => {
    await end(child);
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const devtools = await DevTools.connect(await findPage(await readPort(child)));
    return { page: await DevToolsPage.attach(devtools), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The program alone. Where the machine lacks NSS and NSPR, those of the packaged current Chromium serve it too. */
export async function fetchChromium79(): Promise<BrowserProgram> {
  refuseOtherMachines();
  const folder = await unpackOnce(packagedChromium79, async (packageFolder, target) => {
    const packed = (name: string) => join(packageFolder, 'bin', `${name}.br`);
    await mkdir(join(target, 'swiftshader'));
    await Promise.all([expandProgram(packed('chromium'), join(target, 'chromium-79')), expandArchive(packed('swiftshader.tar'), join(target, 'swiftshader'))]);
  });
  const path = join(folder, 'chromium-79');
  return (await starts(path)) ? { path, environment: {} } : equip(path, await packagedFolder());
}

/** The browser names its debugging port once, on its error stream, which is then read on so that it never fills. */
function readPort(child: ChildProcess): Promise<string> {
  const { stderr } = child;
  if (stderr === null) throw new Error('Chromium 79 has no error stream');
  const said: string[] = [];
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error(`Chromium 79 did not start:\n${said.join('\n')}`)));
    createInterface(stderr).on('line', (line) => {
      const port = /^DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(line)?.[1];
      if (port === undefined) said.push(line);
      else resolve(port);
    });
  });
}

/** The port is open a moment before the first page is. */
async function findPage(port: string): Promise<string> {
  for (let asked = 0; asked < 100; asked += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
    const targets = (await answer.json()) as { type: string; webSocketDebuggerUrl: string }[];
    const page = targets.find(({ type }) => type === 'page');
    if (page !== undefined) return page.webSocketDebuggerUrl;
    await delay(50);
  }
  throw new Error('Chromium 79 opened no page');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'close');
  child.kill();
  await ended;
}
