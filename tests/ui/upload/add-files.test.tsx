import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { offerOpenedFiles } from '#app/state/view-requests.ts';
import { limits } from '#contract/limits.ts';
import { button, press, settle } from '../draw.tsx';
import { buttons, dialog, drawUpload, leaveUpload, texts } from './draw-upload.tsx';
import { answers, asked, recordingQueue, resetUploads } from './recording-queue.ts';

vi.mock('#app/state/uploads/load-upload-queue.ts', () => ({
  withQueue: async (action: (queue: typeof recordingQueue) => Promise<unknown>) => action(recordingQueue),
}));

beforeEach(resetUploads);
afterEach(leaveUpload);

const file = (name: string) => new File(['x'], name);
const added = () =>
  asked
    .filter(([name]) => name === 'add')
    .map(([, files]) =>
      (files as { file: File; handle: unknown }[]).map((one) => [one.file.name, one.handle !== null]),
    );
const fileHandle = (name: string) => ({ kind: 'file', name, getFile: async () => file(name) });
const folderHandle = (name: string, ...children: object[]) => ({
  kind: 'directory',
  name,
  async *values() {
    yield* children;
  },
});
const fileEntry = (name: string) => ({
  isFile: true,
  isDirectory: false,
  name,
  file: (done: (file: File) => void) => done(file(name)),
});
/** Gives its children in two readings, as engines do beyond 100. */
const folderEntry = (name: string, ...children: object[]) => ({
  isFile: false,
  isDirectory: true,
  name,
  createReader: () => {
    const parts = [children.slice(0, 1), children.slice(1), []];
    return { readEntries: (done: (entries: object[]) => void) => done(parts.shift() ?? []) };
  },
});

/** An event as the browser raises it, with what it carries. */
async function raise(type: string, data: object): Promise<Event> {
  const event = new Event(type, { bubbles: true, cancelable: true });
  Object.assign(event, data);
  await settle(() => document.body.dispatchEvent(event));
  for (let turn = 0; turn < 12; turn += 1) await settle();
  return event;
}
const drop = (items: object[], files: File[] = []) =>
  raise('drop', {
    dataTransfer: {
      types: ['Files'],
      items: items.map((item) => ({ kind: 'file', getAsFile: () => null, ...item })),
      files,
    },
  });

test('files are chosen by the browser’s own field, several at once, and can be chosen again', async () => {
  await drawUpload();
  const field = document.querySelector<HTMLInputElement>('input[aria-label="Videos"]');
  expect(field?.multiple).toBe(true);
  expect(field?.accept).toBe(`video/*,${limits.uploadExtensions.join()}`);
  const opened = vi.spyOn(HTMLInputElement.prototype, 'click');
  await press('Choose files');
  expect(opened.mock.contexts).toEqual([field]);
  Object.defineProperty(field, 'files', { value: [file('a.mp4'), file('b.mp4')] });
  await settle(() => field?.dispatchEvent(new Event('change', { bubbles: true })));
  expect(added()).toEqual([
    [
      ['a.mp4', false],
      ['b.mp4', false],
    ],
  ]);
  expect(field?.value).toBe('');
});

test('where the browser has handles, they are asked for and go with the files', async () => {
  const showOpenFilePicker = vi.fn(async () => [fileHandle('a.mp4')]);
  vi.stubGlobal('showOpenFilePicker', showOpenFilePicker);
  await drawUpload();
  await press('Choose files');
  await settle();
  expect(showOpenFilePicker).toHaveBeenCalledWith({
    multiple: true,
    types: [{ description: 'Videos', accept: { 'video/*': limits.uploadExtensions } }],
  });
  expect(added()).toEqual([[['a.mp4', true]]]);
});

test('a picker that is closed without a choice adds nothing', async () => {
  vi.stubGlobal('showOpenFilePicker', () => Promise.reject(new DOMException('closed', 'AbortError')));
  await drawUpload();
  await press('Choose files');
  await settle();
  expect([added(), dialog()]).toEqual([[], null]);
});

test('a folder can be chosen where the browser can: its videos are added, from folders in it, too', async () => {
  await drawUpload();
  expect(buttons()).not.toContain('Choose folder');
  document.body.innerHTML = '';
  const inner = folderHandle('inner', fileHandle('b.mkv'), fileHandle('notes.txt'));
  vi.stubGlobal('showDirectoryPicker', async () => folderHandle('outer', fileHandle('a.mp4'), inner));
  await drawUpload();
  await press('Choose folder');
  for (let turn = 0; turn < 12; turn += 1) await settle();
  expect(added()).toEqual([
    [
      ['a.mp4', true],
      ['b.mkv', true],
    ],
  ]);
});

test('a folder without a video is said', async () => {
  vi.stubGlobal('showDirectoryPicker', async () => folderHandle('Letters', fileHandle('notes.txt')));
  await drawUpload();
  await press('Choose folder');
  for (let turn = 0; turn < 6; turn += 1) await settle();
  expect(dialog()?.textContent).toContain('Letters');
  expect(dialog()?.textContent).toContain('There is no video in it.');
});

test('the place for files is marked while some are held over the page', async () => {
  await drawUpload();
  const area = button('Choose files').closest('section');
  const before = area?.className;
  const over = await raise('dragover', { dataTransfer: { types: ['Files'] } });
  expect([over.defaultPrevented, area?.className === before]).toEqual([true, false]);
  await raise('dragleave', { relatedTarget: null });
  expect(area?.className).toBe(before);
  const text = await raise('dragover', { dataTransfer: { types: ['text/plain'] } });
  expect([text.defaultPrevented, area?.className]).toEqual([false, before]);
});

test('dropped files are added with their handles, and without where the browser has none', async () => {
  await drawUpload();
  const event = await drop([
    { getAsFileSystemHandle: async () => fileHandle('a.mp4'), getAsFile: () => file('a.mp4') },
    {
      getAsFileSystemHandle: async () => null,
      webkitGetAsEntry: () => fileEntry('b.mp4'),
      getAsFile: () => file('b.mp4'),
    },
    { getAsFile: () => file('c.txt') },
  ]);
  expect(event.defaultPrevented).toBe(true);
  expect(added()).toEqual([
    [
      ['a.mp4', true],
      ['b.mp4', false],
      ['c.txt', false],
    ],
  ]);
});

test('of dropped folders the videos are added, however deep, and nothing else', async () => {
  await drawUpload();
  const tree = folderEntry('outer', fileEntry('a.mp4'), folderEntry('inner', fileEntry('b.webm'), fileEntry('b.srt')));
  const trash = folderHandle('.Trash-1000', fileHandle('deleted.mov'));
  await drop([
    { webkitGetAsEntry: () => tree, getAsFile: () => file('outer') },
    {
      getAsFileSystemHandle: async () => folderHandle('other', trash, fileHandle('._c.mov'), fileHandle('c.mov')),
      getAsFile: () => null,
    },
  ]);
  expect(added()).toEqual([
    [
      ['a.mp4', false],
      ['b.webm', false],
      ['c.mov', true],
    ],
  ]);
});

test('what cannot be read in a folder is said, and the rest of it is added', async () => {
  const denied = () => Promise.reject(new DOMException('denied', 'NoModificationAllowedError'));
  const locked = { ...folderHandle('locked'), values: () => ({ [Symbol.asyncIterator]: () => ({ next: denied }) }) };
  const lost = { ...fileHandle('lost.mp4'), getFile: denied };
  const fail = (_: unknown, failed: (error: unknown) => void) => failed(new DOMException('denied'));
  const lockedEntry = { ...folderEntry('Trash'), createReader: () => ({ readEntries: fail }) };
  const tree = folderEntry('inner', lockedEntry, { ...fileEntry('gone.mp4'), file: fail }, fileEntry('b.mp4'));
  await drawUpload();
  await drop([
    { getAsFileSystemHandle: async () => folderHandle('outer', locked, lost, fileHandle('a.mp4')) },
    { webkitGetAsEntry: () => tree },
  ]);
  expect(added()).toEqual([
    [
      ['a.mp4', true],
      ['b.mp4', false],
    ],
  ]);
  expect(dialog()?.querySelector('p')?.textContent).toBe(
    `Some files were rejected:\n${['locked', 'lost.mp4', 'Trash', 'gone.mp4']
      .map((name) => `${name}: This file cannot be read`)
      .join('\n')}`,
  );
});

test('a folder with more videos than may be sent at once is walked through no further than that', async () => {
  let given = 0;
  const endless = {
    kind: 'directory',
    name: 'endless',
    async *values() {
      for (; given < 10_000; given += 1) yield fileHandle(`${given}.mp4`);
    },
  };
  vi.stubGlobal('showDirectoryPicker', async () => endless);
  await drawUpload();
  await press('Choose folder');
  await vi.waitFor(() => expect(added()).toHaveLength(1));
  await settle();
  expect(added()[0]).toHaveLength(limits.uploadFilesPerSession);
  expect(given).toBe(limits.uploadFilesPerSession);
  expect(dialog()?.textContent).toContain('200.mp4: At most 200 files can be uploaded at once');
});

test('files that are dropped onto old engines, and pasted ones, are added', async () => {
  await drawUpload();
  await raise('drop', { dataTransfer: { types: ['Files'], files: [file('a.mp4')] } });
  await raise('paste', { clipboardData: { files: [file('b.mp4')] } });
  expect(added()).toEqual([[['a.mp4', false]], [['b.mp4', false]]]);
});

test('refused files are listed in one alert, and the keys start at its button', async () => {
  await drawUpload();
  answers.add = [
    { filename: 'a.txt', reason: 'Unsupported format. Supported formats: .mp4' },
    { filename: 'b.mp4', reason: 'File size exceeds 5GB limit' },
  ];
  await drop([{ getAsFile: () => file('a.txt') }, { getAsFile: () => file('b.mp4') }]);
  expect(dialog()?.getAttribute('role')).toBe('alertdialog');
  expect(dialog()?.querySelector('p')?.textContent).toBe(
    'Some files were rejected:\na.txt: Unsupported format. Supported formats: .mp4\nb.mp4: File size exceeds 5GB limit',
  );
  await press('OK');
  expect(dialog()).toBe(null);
});

test('what the queue cannot do is said with its reason', async () => {
  await drawUpload();
  answers.add = new Error('This device has no room left.');
  await drop([{ getAsFile: () => file('a.mp4') }]);
  expect(dialog()?.textContent).toContain('This device has no room left.');
  expect(button('Choose files').disabled).toBe(false);
});

test('on a phone the area is a button first, and a camera records', async () => {
  document.documentElement.dataset.form = 'phone';
  const real = window.matchMedia.bind(window);
  vi.stubGlobal('matchMedia', (query: string) =>
    query === '(pointer: coarse)' ? { ...real(query), matches: true } : real(query),
  );
  await drawUpload();
  expect(texts('h2')).toContain('Add videos');
  const camera = document.querySelector<HTMLInputElement>('input[aria-label="Camera"]');
  expect([camera?.getAttribute('capture'), camera?.accept]).toEqual(['environment', 'video/*']);
  const opened = vi.spyOn(HTMLInputElement.prototype, 'click');
  await press('Record a video');
  expect(opened.mock.contexts).toEqual([camera]);
});

test('on a TV there is no picker, but the way to send from a phone', async () => {
  document.documentElement.dataset.form = 'tv';
  const { screen } = await drawUpload();
  expect(texts('h2')).toContain('Send from a phone');
  expect(buttons()).not.toContain('Choose files');
  expect(screen.textContent).toContain('Open this site on a phone, sign in, and choose Upload.');
});

test('files that the system opens with the app are added, before and after the screen opens; a lost one is said', async () => {
  const open = (...handles: object[]) => settle(() => offerOpenedFiles(handles as FileSystemFileHandle[]));
  const gone = { kind: 'file', name: 'gone.mp4', getFile: () => Promise.reject(new Error('It is not there.')) };
  await open(fileHandle('a.mp4'), gone);
  await drawUpload();
  expect(added()).toEqual([[['a.mp4', true]]]);
  expect(dialog()?.textContent).toContain('gone.mp4');
  expect(dialog()?.textContent).toContain('It is not there.');
  await open(fileHandle('b.mp4'));
  for (let turn = 0; turn < 4; turn += 1) await settle();
  expect(added()).toEqual([[['a.mp4', true]], [['b.mp4', true]]]);
});
