import { expect } from '@playwright/test';
import type { VideoList } from '#contract/entities/tagging.ts';
import { corpusEntry } from '#tests/support/media/corpus/corpus.ts';
import { corpusFile } from '#tests/support/media/corpus/corpus-entry.ts';
import { nameColours, namedPattern } from '#tests/support/media/corpus/seen-colours.ts';
import { startOldChromium } from '#tests/support/old-chromium.ts';
import { test } from '../journey.ts';
import { playAddresses } from '../play-address.ts';
import { poll } from '../poll.ts';

/** Runs in the page, in the syntax of its engine. */
async function listAddresses(): Promise<string[]> {
  const list = (await (await fetch('/api/videos/by-tags')).json()) as VideoList;
  return list.videos.filter(({ renditions }) => renditions.length > 0).map(({ url }) => url);
}

// The packaged 68 is an early build without H.264, which every encoding has.
for (const file of ['xvid-mp3.avi', 'hevc-aac.mp4']) {
  test(`Chromium 76 plays an encoding of ${file}, which it does not decode itself`, async ({
    openProduct,
    endings,
  }) => {
    const browser = await startOldChromium(76);
    endings.push(() => browser.close());
    const { address } = await openProduct({ files: { [file]: corpusFile(file) } }, { FFMPEG_PATH: '' });
    await browser.page.open(address);
    await poll(() => browser.page.evaluate(listAddresses, null), { message: 'an encoding' }).toHaveLength(1);
    const addresses = await browser.page.evaluate(listAddresses, null);
    const [played] = await browser.page.evaluate(playAddresses, addresses);
    expect(played).toMatchObject({ error: null, width: 160, height: 90, hasSound: true });
    if (played) expect(nameColours(corpusEntry(file), played.colours)).toEqual(namedPattern);
    expect(browser.page.errors).toEqual([]);
  });
}
