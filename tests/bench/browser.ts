import type { Browser, LaunchOptions } from '@playwright/test';
import { chromium } from '@playwright/test';
import { findChromium } from '#tests/support/chromium.ts';

export const viewport = { width: 1440, height: 900 };

export async function launchBrowser(): Promise<Browser> {
  return chromium.launch(await browserOptions());
}

export async function browserOptions(): Promise<LaunchOptions> {
  const { path, environment } = await findChromium();
  return {
    executablePath: path,
    env: { ...process.env, ...environment } as Record<string, string>,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--mute-audio',
    ],
  };
}
