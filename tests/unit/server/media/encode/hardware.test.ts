import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hardwareEncoders } from '#server/media/encode/video-encoders.ts';
import { corpusFile } from '#tests/support/media/corpus/corpus-entry.ts';
import { encodeFile, encoderUnderTest } from '#tests/support/media/encoder-under-test.ts';
import { fakeTool } from '#tests/support/media/fake-tool.ts';
import { ffmpegs } from '#tests/support/media/ffmpegs.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

/** A folder with device files of these names, which are empty files. */
function makeDevices(...names: string[]): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'dri'));
  for (const name of names) writeFileSync(join(folder, name), '');
  return folder;
}

test('there are candidates for the devices of the machine alone, in their order', async () => {
  const folder = makeDevices(
    'dri/renderD129',
    'dri/renderD128',
    'dri/card0',
    'nvidia0',
    'nvidiactl',
    'video11',
    'null',
  );
  const found = (await hardwareEncoders(folder)).map(({ name, devices }) => [
    name,
    ...devices.map((path) => path.slice(folder.length + 1)),
  ]);
  expect(found).toEqual([
    ['h264_vaapi', 'dri/renderD128'],
    ['h264_vaapi', 'dri/renderD129'],
    ['h264_qsv', 'dri/renderD128'],
    ['h264_qsv', 'dri/renderD129'],
    ['h264_nvenc', 'nvidia0', 'nvidiactl'],
    ['h264_v4l2m2m', 'video11'],
  ]);
  expect(await hardwareEncoders('/nowhere')).toEqual([]);
});

/*
 * No machine that this runs on has such a device. So the real ffmpeg encodes behind a script that takes the place of
 * device and driver: it understands what VAAPI is told, notes which encoders were asked for, and fails where it is told
 * to. It runs without a sandbox, which would show it neither the real one nor its notes.
 */
const [real = ''] = ffmpegs;

/** @param onTrial what a script does for VAAPI on one second of test video, `onWork` on a file */
function createWithHardware({ onTrial = encode, onWork = encode }: { onTrial?: string; onWork?: string }) {
  const folder = temporaryFolder();
  const notes = join(folder, 'notes');
  appendFileSync(notes, '');
  const script = `
    encode() {
      count=$#
      while [ $count -gt 0 ]; do
        word=$1; shift; count=$((count - 1))
        case $word in
          -vaapi_device|-rc_mode) shift; count=$((count - 1)) ;;
          h264_vaapi) set -- "$@" libx264 ;;
          *) set -- "$@" "$(printf %s "$word" | sed 's/,hwupload//g')" ;;
        esac
      done
      exec "${real}" "$@"
    }
    case "$*" in
      *h264_qsv*) exit 1 ;;
      *h264_vaapi*/dev/fd/4*|*/dev/fd/4*h264_vaapi*) echo vaapi >>${notes}; ${onWork} ;;
      *h264_vaapi*) ${onTrial} ;;
      */dev/fd/4*libx264*) echo libx264 >>${notes} ;;
    esac
    exec "${real}" "$@"`;
  const devices = makeDevices('dri/renderD128');
  const ready = encoderUnderTest(fakeTool(folder, script), { devices, confinements: [] });
  return { ...ready, used: () => readFileSync(notes, 'utf8').trim().split('\n') };
}

const encode = 'encode "$@"';
const fail = 'exit 1';

describe('hardware', () => {
  const make = (ready: ReturnType<typeof createWithHardware>) =>
    encodeFile(ready, corpusFile('silent.avi'), {}, async ({ files }) => files.map(({ rendition }) => rendition));

  test('encodes where it works', async () => {
    const ready = createWithHardware({});
    expect(await ready.encoder.facts()).toMatchObject({ encoder: 'h264_vaapi', isHardware: true });
    expect(await make(ready)).toEqual(['grid']);
    expect(ready.used()).toEqual(['vaapi']);
  });

  test.each([
    ['whose driver is missing', fail],
    ['that makes nothing', 'exit 0'],
    ['that makes anything', 'echo noise >grid.mp4; exit 0'],
  ])('%s is not used', async (_, onTrial) => {
    const ready = createWithHardware({ onTrial });
    expect(await ready.encoder.facts()).toMatchObject({ encoder: 'libx264', isHardware: false });
  });

  test.each([
    ['fails', fail],
    ['leaves half a file', 'head -c 500 /dev/zero >grid.mp4; exit 0'],
  ])('that %s at real work leaves it to software, once', async (_, onWork) => {
    const ready = createWithHardware({ onWork });
    expect(await make(ready)).toEqual(['grid']);
    expect(ready.used()).toEqual(['vaapi', 'libx264']);
    expect(ready.leftOver()).toEqual([]);
  });
});
