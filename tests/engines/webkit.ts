import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ensurePackages } from '#tests/support/debian-packages.ts';
import type { RunningEngine } from '#tests/support/engine-page.ts';
import { findFreePort } from '#tests/support/free-port.ts';
import { end, readLine } from './processes.ts';
import { WebDriverPage } from './webdriver-page.ts';
import { windowSize } from './window-size.ts';

const packages = [
  'webkit2gtk-driver',
  'python3-gi',
  'gir1.2-webkit2-4.1',
  'gstreamer1.0-libav',
  'gstreamer1.0-plugins-good',
  'gstreamer1.0-plugins-bad',
  'gstreamer1.0-gl',
  'xvfb',
];

const browser = join(import.meta.dirname, 'webkit-browser.py');

/**
 * WebKitGTK of Debian: the nearest to Safari that runs on Linux. It has no mode without a screen, so it gets one of its
 * own.
 */
export async function startWebKit(): Promise<RunningEngine> {
  await ensurePackages(packages);
  const endings: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const ending of endings.reverse()) await ending();
  };
  try {
    const home = await mkdtemp(join(tmpdir(), 'fourfold-webkit-'));
    endings.push(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
    const screen = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1920x1200x24', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    endings.push(() => end(screen));
    const display = await readLine(screen, screen.stdout, /^(\d+)$/);
    const port = await findFreePort();
    const driver = spawn('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], {
      stdio: 'ignore',
      env: environmentFor(home, `:${display}`),
    });
    endings.push(() => end(driver));
    const page = await WebDriverPage.open(await waitForDriver(`http://127.0.0.1:${port}`), browser);
    endings.push(() => page.close());
    await page.resize(windowSize.width, windowSize.height);
    return { page, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Without a language WebKit names the page's 'C', which `Intl` refuses. A home of its own keeps what the page stores
 * out of the user's.
 */
function environmentFor(home: string, display: string): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  return { PATH, HOME: home, XDG_RUNTIME_DIR: home, DISPLAY: display, LANG: 'en_US.UTF-8', NO_AT_BRIDGE: '1' };
}

async function waitForDriver(address: string): Promise<string> {
  for (let asked = 0; asked < 100; asked += 1) {
    const answer = await fetch(`${address}/status`).catch(() => null);
    if (answer?.ok) return address;
    await delay(50);
  }
  throw new Error('WebKitWebDriver did not start');
}
