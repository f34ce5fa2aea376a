import { execFileSync } from 'node:child_process';
import { chromium } from 'playwright';
import type { SceneName } from '../scenes/scene-list.ts';
import type { TakeFrame } from './stage-server.ts';
import { openStageServer } from './stage-server.ts';

/** Paints a scene at these moments of its loop in headless Chromium and hands over each frame as raw RGBA. */
export async function paintFrames(scene: SceneName, moments: readonly number[], takeFrame: TakeFrame): Promise<void> {
  const server = await openStageServer(takeFrame);
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--disable-gpu'] });
  try {
    const page = await browser.newPage();
    page.on('console', (message) => console.log(message.text()));
    await page.goto(server.address);
    await page.evaluate(
      `import('/making/browser-stage.ts').then((stage) => stage.playScene(${JSON.stringify(scene)}, ${JSON.stringify(moments)}))`,
    );
  } finally {
    await browser.close();
    server.close();
  }
}

export function listMoments(frames: number): number[] {
  return Array.from({ length: frames }, (_, frame) => frame / frames);
}

function findChromium(): string {
  const given = process.env.CHROMIUM_PATH;
  if (given) return given;
  try {
    return execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim();
  } catch {
    throw new Error('Remaking the clips needs Chromium: set CHROMIUM_PATH or install the package chromium.');
  }
}
