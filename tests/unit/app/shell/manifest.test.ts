import { describe, expect, test } from 'vitest';
import manifestText from '../../../../manifest.webmanifest?raw';

interface Picture {
  src: string;
  sizes: string;
  type: string;
  purpose?: string;
  form_factor?: string;
}

const manifest = JSON.parse(manifestText) as {
  icons: Picture[];
  screenshots: Picture[];
  shortcuts: Array<{ url: string; icons: Picture[] }>;
  [field: string]: unknown;
};

/** Every picture below `public`, as data URLs by path. */
const files = import.meta.glob<string>('../../../../public/**/*.{png,jpg}', {
  query: '?inline',
  import: 'default',
  eager: true,
});

function sizeOf({ src, type }: Picture): string {
  const file = files[`../../../../public${src}`];
  if (!file) return 'absent';
  const bytes = Uint8Array.from(atob(file.slice(file.indexOf(',') + 1)), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return type === 'image/png' ? pngSize(view) : jpegSize(view);
}

/** Eight bytes of signature, then the IHDR chunk with width and height. */
function pngSize(view: DataView): string {
  return view.getUint32(12) === 0x49_48_44_52 ? `${view.getUint32(16)}x${view.getUint32(20)}` : 'no PNG';
}

/** Segments of a marker and a length, up to the frame header with height and width. */
function jpegSize(view: DataView): string {
  if (view.getUint16(0) !== 0xff_d8) return 'no JPEG';
  let at = 2;
  while (![0xff_c0, 0xff_c2].includes(view.getUint16(at))) at += 2 + view.getUint16(at + 2);
  return `${view.getUint16(at + 7)}x${view.getUint16(at + 5)}`;
}

test('the manifest has what an installation asks for', () => {
  expect(manifest).toMatchObject({
    id: '/',
    name: 'Fourfold',
    short_name: 'Fourfold',
    start_url: '/',
    display: 'standalone',
    orientation: 'any',
  });
  const icons = manifest.icons.map(({ sizes, purpose }) => `${purpose} ${sizes}`);
  expect(icons).toEqual(expect.arrayContaining(['any 192x192', 'any 512x512', 'maskable 192x192', 'maskable 512x512']));
  expect(manifest.screenshots.map((picture) => picture.form_factor)).toEqual(
    expect.arrayContaining(['wide', 'narrow']),
  );
});

describe('every picture exists with the size it declares', () => {
  test.each([...manifest.icons, ...manifest.screenshots, ...manifest.shortcuts.flatMap((shortcut) => shortcut.icons)])(
    '$src',
    (picture) => {
      expect(sizeOf(picture)).toBe(picture.sizes);
    },
  );
});
