import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RandomBelow } from '#server/ids.ts';
import { box, ftyp, putFile, putVideos, smallVideo } from '#tests/support/media/videos.ts';
import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import { repeat } from '../../client.ts';
import { createFindings } from '../../findings.ts';
import { untilScanned } from '../../library.ts';

/** Seconds: before the epoch, now and then, and beyond what a date can be. */
const times = [-1e10, -1, 0, 1, 253_402_300_800, 1e13];
const ebml = Buffer.from([0x1a, 0x45, 0xdf, 0xa3]);

/** Files with odd times, names and headers come while the library is looked through; what is fine still plays. */
export const hostileFiles: Attack = {
  name: 'hostile-files',
  databases: bothDatabases,
  short: bothDatabases,
  setting: 'home',
  async run(target, random, budget) {
    const findings = createFindings();
    const client = target.stranger();
    const folder = join(target.library, 'hostile');
    mkdirSync(folder, { recursive: true });
    const { client: keeper } = await target.admin();
    await repeat(budget.count(1, 5), 1, async (round) => {
      await keeper.post('/api/refresh', {});
      for (let index = 0; index < budget.count(60, 400); index += 1) putHostile(folder, `${round}-${index}`, random);
    });
    putOddities(folder);
    putVideos(target.library, 'after.mp4');
    findings.expect(
      await untilScanned(target, client, 'after.mp4'),
      'a video that came after hostile files is not played',
    );
    const { status } = await client.get('/api/status');
    findings.expect(status === 200, `the status is answered with ${status}`);
    const pick = await client.get('/api/video/top-left');
    findings.expect(pick.status === 200 && pick.body.includes('"available":true'), 'the library is empty');
    return findings.list();
  },
};

/** A header that lies about its sizes, noise, or a fine video with an odd time. */
function putHostile(folder: string, name: string, random: RandomBelow): void {
  const noise = Buffer.from(Array.from({ length: 64 }, () => random(256)));
  const size = [0, 1, 7, 2 ** 31, 2 ** 32 - 1][random(5)];
  const contents: readonly (() => Buffer)[] = [
    () => noise,
    () => Buffer.concat([ftyp, box('moov', box('trak', noise, size))]),
    () => Buffer.concat([ftyp, box('moov', noise, size)]),
    () => Buffer.concat([ftyp, ...Array.from({ length: 500 }, () => box('moof', ''))]),
    () => Array.from({ length: 200 }).reduce<Buffer>((inner) => box('moov', inner), noise),
    () => Buffer.concat([ebml, Buffer.alloc(8, 0xff), noise]),
    () => Buffer.concat([ebml, Buffer.from([0x01, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), noise]),
  ];
  const kind = random(contents.length + 1);
  const extension = ['mp4', 'mkv', 'webm', 'mov', 'avi'][random(5)];
  const file = join(folder, `${name}.${extension}`);
  const content = contents[kind];
  if (content === undefined) copyFileSync(smallVideo(random(12)), file);
  else writeFileSync(file, content());
  const time = times[random(times.length)] ?? 0;
  utimesSync(file, time, time);
}

function putOddities(folder: string): void {
  for (const name of [
    'new\nline',
    'right\u202eto left',
    '%2e%2e%2f',
    "it's; drop table videos",
    '<script>alert(1)</script>',
    '🎬'.repeat(60),
    `${'x'.repeat(250)}`,
  ]) {
    copyFileSync(smallVideo(), join(folder, `${name.replaceAll('/', '')}.mp4`));
  }
  putFile(folder, `${'deep/'.repeat(100)}video.mp4`, 'deep');
  symlinkSync(folder, join(folder, 'loop'));
  symlinkSync('/proc/self/fd/0', join(folder, 'input.mp4'));
  symlinkSync('/dev/zero', join(folder, 'zero.mp4'));
  execFileSync('mkfifo', [join(folder, 'pipe.mp4')]);
}
