import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ChannelsSection } from '#app/features/admin/channels/channels-section.tsx';
import { connection } from '#app/state/connection.ts';
import type { TagImportReply } from '#contract/entities/tag.ts';
import { button, draw, press, settle } from '../draw.tsx';
import type { FakeAnswer } from './fake-server.ts';
import { fakeServer } from './fake-server.ts';
import { change, pageOf } from './tag-changes.ts';

let routes: Record<string, ((body: unknown) => FakeAnswer) | undefined>;
let server: ReturnType<typeof fakeServer>;

beforeEach(() => {
  routes = { 'GET /api/admin/tags/changes': () => pageOf() };
  server = fakeServer(routes);
});

afterEach(async () => {
  await settle(() => {
    connection.isReachable = true;
  });
  vi.unstubAllGlobals();
});

const hasButton = (name: string) =>
  [...document.querySelectorAll('button')].some((one) => one.getAttribute('aria-label') === name);

const appears = (words: string) =>
  vi.waitFor(async () => {
    await settle();
    expect(document.body.textContent).toContain(words);
  });

async function drawChannels(words: string): Promise<HTMLElement> {
  const screen = await draw(<ChannelsSection />);
  await appears(words);
  return screen;
}

describe('export', () => {
  let saved: { text: Promise<string>; filename: string }[];

  beforeEach(() => {
    saved = [];
    let latest: Blob;
    vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
      latest = file as Blob;
      return 'blob:x';
    });
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
      saved.push({ text: latest.text(), filename: this.download });
    });
  });

  afterEach(() => vi.restoreAllMocks());

  test.each(['csv', 'json'])('all channels are saved as %s', async (format) => {
    routes['GET /api/admin/tags/export'] = () => ({ text: 'tag,path' });
    await drawChannels('Nothing was done yet.');
    await press(`Export as ${format.toUpperCase()}`);
    await appears('(8 bytes).');
    expect(server.calls).toContain(`GET /api/admin/tags/export?format=${format}`);
    const [file] = saved;
    expect(await file?.text).toBe('tag,path');
    expect(file?.filename).toMatch(new RegExp(`^channels-\\d{4}-\\d\\d-\\d\\d\\.${format}$`));
    expect(document.body.textContent).toContain(`Saved as ${file?.filename} (8 bytes).`);
  });

  test('one that is refused says why, and saves nothing', async () => {
    routes['GET /api/admin/tags/export'] = () => ({
      status: 503,
      json: { error: 'unavailable', message: 'The site is busy.' },
    });
    await drawChannels('Nothing was done yet.');
    await press('Export as CSV');
    await appears('The site is busy.');
    expect(saved).toEqual([]);
    expect(button('Export as CSV').disabled).toBe(false);
  });

  test('one that is under way can be given up', async () => {
    const answers = globalThis.fetch;
    vi.stubGlobal('fetch', (address: string, init: RequestInit) =>
      address.includes('/export') ? new Promise<Response>(() => {}) : answers(address, init),
    );
    await drawChannels('Nothing was done yet.');
    await press('Export as CSV');
    await appears('Exporting...');
    expect([button('Export as CSV').disabled, button('Export as JSON').disabled]).toEqual([true, true]);
    await press('Cancel the export');
    await settle();
    expect(button('Export as CSV').disabled).toBe(false);
    expect(document.body.textContent).not.toContain('Exporting...');
    expect(saved).toEqual([]);
  });
});

describe('import', () => {
  const planWith = (facts: Partial<TagImportReply> = {}) => ({
    json: {
      dry_run: true,
      tags_created: 2,
      links_added: 1_200,
      links_present: 3,
      details_changed: 0,
      failed_count: 0,
      failed: [],
      change: null,
      ...facts,
    },
  });
  const csv = () => new File(['tag,path\nAlps,a.mp4'], 'my tags.csv');

  async function choose(file: File): Promise<void> {
    const input = document.querySelector<HTMLInputElement>('input[type="file"]');
    Object.defineProperty(input, 'files', { value: [file], configurable: true });
    await settle(() => input?.dispatchEvent(new Event('change', { bubbles: true })));
  }

  /** A file that is dragged over the card, or dropped there. */
  async function drag(kind: 'dragover' | 'drop', file: File): Promise<Event> {
    const event = Object.assign(new Event(kind, { bubbles: true, cancelable: true }), {
      dataTransfer: { files: [file] },
    });
    await settle(() => document.querySelector('pre')?.dispatchEvent(event));
    return event;
  }

  test('a file says first what it would change, and then changes it', async () => {
    const bodies: unknown[] = [];
    routes['POST /api/admin/tags/import'] = (body) => {
      bodies.push(body);
      return planWith();
    };
    await drawChannels('Nothing was done yet.');
    await choose(csv());
    await appears('2 channels will be created');
    for (const words of ['my tags.csv', '1,200 assignments will be added', '3 assignments already there'])
      expect(document.body.textContent).toContain(words);
    const started = change('i', { kind: 'import', subject: 'my tags.csv', detail: null, state: 'running' });
    routes['POST /api/admin/tags/import'] = (body) => {
      bodies.push(body);
      return { status: 202, json: { ...planWith().json, dry_run: false, change: started } };
    };
    routes['GET /api/admin/tags/changes'] = () => pageOf(started);
    await press('Import');
    await appears('The import has begun. It is listed below.');
    await appears('Importing my tags.csv');
    expect(hasButton('Cancel the import')).toBe(false);
    const file = { filename: 'my tags.csv', format: 'csv', text: 'tag,path\nAlps,a.mp4' };
    expect(bodies).toEqual([
      { ...file, dry_run: true },
      { ...file, dry_run: false },
    ]);
  });

  test('lines that fail are named, the others counted', async () => {
    routes['POST /api/admin/tags/import'] = () =>
      planWith({
        failed_count: 1_102,
        failed: [
          { line: 4, message: 'No video has this path' },
          { line: 9, message: 'Tag name is required' },
        ],
      });
    const screen = await drawChannels('Nothing was done yet.');
    await choose(csv());
    await appears('1,102 lines cannot be imported');
    const lines = [...screen.querySelectorAll('[aria-label="Lines that cannot be imported"] > li')];
    expect(lines.map(({ textContent }) => textContent)).toEqual([
      'Line 4No video has this path',
      'Line 9Tag name is required',
    ]);
    expect(screen.textContent).toContain('and 1,100 more');
  });

  test('a file that changes nothing cannot be imported', async () => {
    routes['POST /api/admin/tags/import'] = () => planWith({ tags_created: 0, links_added: 0 });
    await drawChannels('Nothing was done yet.');
    await choose(csv());
    await appears('Nothing would change');
    expect(() => button('Import')).toThrow();
    await press('Cancel the import');
    await settle();
    expect(document.body.textContent).not.toContain('my tags.csv');
  });

  test('a file that is refused here is not sent', async () => {
    await drawChannels('Nothing was done yet.');
    await choose(new File(['x'], 'tags.xlsx'));
    await appears('Choose a file that ends with .csv or .json.');
    expect(server.calls).toEqual(['GET /api/admin/tags/changes?page=1&limit=20']);
  });

  test('an import that is refused says why, and can be tried again', async () => {
    routes['POST /api/admin/tags/import'] = () => planWith();
    await drawChannels('Nothing was done yet.');
    await choose(csv());
    await appears('2 channels will be created');
    routes['POST /api/admin/tags/import'] = () => ({
      status: 409,
      json: { error: 'conflict', message: 'Another import is running.' },
    });
    await press('Import');
    await appears('Another import is running.');
    expect(button('Import').disabled).toBe(false);
  });

  test('a file can be dropped, and is held over the card first', async () => {
    routes['POST /api/admin/tags/import'] = () => planWith();
    await drawChannels('Nothing was done yet.');
    expect((await drag('dragover', csv())).defaultPrevented).toBe(true);
    expect((await drag('drop', csv())).defaultPrevented).toBe(true);
    await appears('2 channels will be created');
  });

  test('offline, a dropped file is ignored, and does not replace the page', async () => {
    await drawChannels('Nothing was done yet.');
    await settle(() => {
      connection.isReachable = false;
    });
    expect((await drag('drop', csv())).defaultPrevented).toBe(true);
    expect(document.body.textContent).not.toContain('Checking...');
  });
});
