import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserProgram } from './chromium.ts';
import { equip, packagedFolder, refuseOtherMachines, starts } from './chromium.ts';
import { DevTools } from './devtools.ts';
import { DevToolsPage } from './devtools-page.ts';
import type { NpmTarball } from './npm-tarball.ts';
import { expandProgram, unpackOnce } from './npm-tarball.ts';

/**
 * Engines as they shipped on TVs: LG's of 2020 (68) and Samsung's of 2021 (76). The packaged 68 plays VP9 and no H.264.
 */
const packages = {
  68: {
    name: 'chrome-aws-lambda',
    version: '1.4.0',
    integrity: 'sha512-TKbIW6zM8pO26QxxeB1uIMBzSmF5KaHqzXfpMXl8ynyB3YQpGnxFTnmEB3ALm+Z/szb0LD8PGhOqAAkObSowzQ==',
  },
  76: {
    name: 'chrome-aws-lambda',
    version: '1.17.1',
    integrity: 'sha512-ooUkcyWRUyRLg4XCEVbM0fKMQUf5XRWb1flc1755w/0S9UMp+5fT0MRl0YQLlU2WIDo82fqWLY7mKtuBPkTOmg==',
  },
} satisfies Record<number, NpmTarball>;

export type OldVersion = keyof typeof packages;

/** The oldest engine that the product promises comes first. */
export const oldVersions: readonly OldVersion[] = [68, 76];

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
  // Else every size of a variable font is as wide as the first one.
  '--font-render-hinting=none',
  '--remote-debugging-port=0',
];

/** What it decodes. */
export function containerFor(version: OldVersion): 'mp4' | 'webm' {
  return version === 68 ? 'webm' : 'mp4';
}

/** A running Chromium with one page. */
export interface DevToolsBrowser {
  readonly page: DevToolsPage;
  close(): Promise<void>;
}

export async function startOldChromium(version: OldVersion): Promise<DevToolsBrowser> {
  return startChromium(await fetchOldChromium(version));
}

export async function startChromium(program: BrowserProgram): Promise<DevToolsBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'fourfold-chromium-'));
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
export async function fetchOldChromium(version: OldVersion): Promise<BrowserProgram> {
  refuseOtherMachines();
  const program = `chromium-${version}`;
  const folder = await unpackOnce(packages[version], async (packageFolder, target) => {
    const binaries = join(packageFolder, 'bin');
    const packed = (await readdir(binaries)).find((file) => file.startsWith(`chromium-${version}.`));
    if (packed === undefined) throw new Error(`The package has no Chromium ${version}.`);
    await expandProgram(join(binaries, packed), join(target, program));
  });
  const path = join(folder, program);
  return (await starts(path)) ? { path, environment: {} } : equip(path, await packagedFolder());
}

/** The browser names its debugging port once, on its error stream, which is then read on so that it never fills. */
function readPort(child: ChildProcess): Promise<string> {
  const { stderr } = child;
  if (stderr === null) throw new Error('The browser has no error stream');
  const said: string[] = [];
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error(`The browser did not start:\n${said.join('\n')}`)));
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
  throw new Error('The browser opened no page');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'close');
  child.kill();
  await ended;
}
