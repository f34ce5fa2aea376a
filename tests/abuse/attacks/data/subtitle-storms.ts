import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '#contract/limits.ts';
import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import type { Client } from '../../client.ts';
import { fieldsOf, repeat } from '../../client.ts';
import { createFindings } from '../../findings.ts';

const languages = ['de', 'en', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'da', 'fi', 'pl', 'cs', 'hu', 'tr', 'el', 'ro'];
/** Between two requests for a track. */
const everyMs = 312;
const readyLimitMs = 120_000;

/** The largest subtitles that a video may have, in sixteen languages, asked for in turn without an account. */
export const subtitleStorms: Attack = {
  name: 'subtitle-storms',
  databases: bothDatabases,
  short: ['sqlite'],
  setting: 'home',
  maxOfIdle: 3,
  async run(target, _random, budget) {
    const findings = createFindings();
    const files = languages.map((language) => join(target.library, `video-0.${language}.srt`));
    const size = budget.count(64 * 1024, limits.subtitleBytes);
    for (const [place, file] of files.entries()) writeFileSync(file, toSrt(languages[place] ?? '', size));
    try {
      const client = target.stranger();
      const id = await findVideoId(client);
      const urls = await listWhenReady(client, id);
      findings.expect(urls.length === files.length, `${urls.length} of ${files.length} tracks are listed in time`);
      const count = urls.length === 0 ? 0 : budget.count(urls.length, 80);
      const isSpaced = !budget.isShort;
      await repeat(count, isSpaced ? 1 : 4, async (index) => {
        const pause = delay(isSpaced ? everyMs : 0);
        const { status, body } = await client.get(urls[index % urls.length] ?? '');
        findings.expect(status === 200 || status === 429, `a track is answered with ${status}`);
        findings.expect(status !== 200 || body.startsWith('WEBVTT\n'), 'a track is no WebVTT');
        await pause;
      });
    } finally {
      for (const file of files) rmSync(file, { force: true });
    }
    return findings.list();
  },
};

function toSrt(language: string, bytes: number): string {
  const cue = `00:00:01,000 --> 00:00:02,000\n<i>${language}</i> & <b>more</b> <font color="red">text</font>\n\n`;
  return cue.repeat(Math.floor(bytes / Buffer.byteLength(cue)));
}

async function findVideoId(client: Client): Promise<string> {
  const { videos = [] } = fieldsOf(await client.get('/api/videos/by-tags?search=video-0&limit=20')) as {
    videos?: { id: string; filename: string }[];
  };
  return videos.find(({ filename }) => filename === 'video-0.mp4')?.id ?? '';
}

/** The addresses of all tracks, once none is still being read. */
async function listWhenReady(client: Client, id: string): Promise<string[]> {
  for (const end = performance.now() + readyLimitMs; ; ) {
    const list = fieldsOf(await client.get(`/api/videos/${id}/subtitles`)) as {
      tracks?: { url: string }[];
      processing?: unknown;
    };
    if (list.processing === null || performance.now() > end) return (list.tracks ?? []).map(({ url }) => url);
    await delay(100);
  }
}
