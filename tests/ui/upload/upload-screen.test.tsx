import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connection } from '#app/state/connection.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { button, press, settle } from '../draw.tsx';
import { buttons, dialog, drawUpload, leaveUpload, standardRoutes, texts } from './draw-upload.tsx';
import { answers, asked, recordingQueue, resetUploads, row, shared } from './recording-queue.ts';

vi.mock('#app/state/uploads/load-upload-queue.ts', () => ({
  withQueue: async (action: (queue: typeof recordingQueue) => Promise<unknown>) => action(recordingQueue),
}));

beforeEach(resetUploads);
afterEach(leaveUpload);

const show = (...rows: (typeof uploads)['rows']) => settle(() => Object.assign(uploads, { rows }));
const names = () => texts('li bdi');
const answerAlert = async () => {
  await press('OK');
  await settle();
};

test('until the permission is known, the screen says that it is checked', async () => {
  const { screen } = await drawUpload('pending');
  expect(screen.textContent).toContain('Loading...Checking your upload permissions...');
  expect(texts('h1')).toEqual(['Upload Videos']);
});

test('where administrators alone may upload, somebody else is told so and led back', async () => {
  const { screen, onBack } = await drawUpload(standardRoutes('admins'));
  expect(screen.textContent).toContain('Only administrators can upload here.');
  await press('Back to the feed');
  expect(onBack).toHaveBeenCalledOnce();
});

test('an administrator may upload there', async () => {
  const { screen } = await drawUpload(standardRoutes('admins'), 'admin');
  expect(screen.textContent).toContain('No files selected');
});

test('where videos are looked at first, this is said to those whom it concerns', async () => {
  const sentence = 'An administrator looks at each video before others see it.';
  const { screen } = await drawUpload(standardRoutes('approval'));
  expect(screen.textContent).toContain(sentence);
  document.body.innerHTML = '';
  const { screen: own } = await drawUpload(standardRoutes('approval'), 'admin');
  expect(own.textContent).not.toContain(sentence);
});

test('an empty list says so, beside the ways to add videos', async () => {
  const { screen } = await drawUpload();
  expect(screen.textContent).toContain('No files selected');
  expect(screen.textContent).toContain('.mp4, .mov, .avi, .mkv, .m4v, .wmv, .flv, .webm');
  expect(screen.textContent).toContain('Up to 5 GB each');
  expect(button('Choose files')).toBeTruthy();
  expect(screen.textContent).toContain('Recordings may carry the place they were made at.');
  expect(buttons()).not.toContain('Clear All');
});

test('before the device has been read, the list is loading', async () => {
  uploads.isLoaded = false;
  const { screen } = await drawUpload();
  expect(screen.textContent).not.toContain('No files selected');
  expect(texts('h2')).toContain('Loading...');
});

test('without a network the list stands, and whoever has accepted before can add', async () => {
  const { screen } = await drawUpload({}, 'basic', { eula_accepted: true });
  await settle(() => {
    connection.isReachable = false;
  });
  await show(row('a.mp4', { kind: 'waiting', reason: 'network' }, { acknowledgedBytes: 380_000_000 }));
  expect(dialog()).toBe(null);
  expect(screen.textContent).toContain('Waiting for network. Resumes by itself');
  expect(screen.textContent).toContain('38%');
  expect(button('Choose files').disabled).toBe(false);
});

test('a list that ends with the page is said', async () => {
  uploads.isLasting = false;
  const { screen } = await drawUpload();
  expect(screen.textContent).toContain('files that wait are lost when this page is closed.');
});

test('files that wait are listed with their sizes, and uploaded by the button', async () => {
  const { screen } = await drawUpload();
  await show(row('a.mp4'), row('b.mp4', undefined, { size: 388_000_000 }));
  expect(names()).toEqual(['a.mp4', 'b.mp4']);
  expect(screen.textContent).toContain('388 MB');
  expect(screen.textContent).not.toContain('of 2 completed');
  await press('Upload 2 files');
  expect(asked.slice(-1)).toEqual([['start']]);
  await show(row('a.mp4'));
  expect(button('Upload 1 file')).toBeTruthy();
});

test('while files are sent the button is busy, and the summary counts', async () => {
  const { screen } = await drawUpload();
  await show(
    row('a.mp4', { kind: 'completed', videoId: 'v1', note: null }),
    row(
      'b.mp4',
      { kind: 'uploading', resumedAt: null },
      { acknowledgedBytes: 500_000_000, speed: 8_400_000, secondsLeft: 82 },
    ),
    row('c.mp4', { kind: 'failed', message: 'Upload failed: 507 Insufficient Storage' }),
    row('d.mp4', { kind: 'waiting', reason: 'turn' }),
  );
  await settle(() => {
    uploads.secondsLeft = 300;
  });
  expect(button('Uploading...').disabled).toBe(true);
  expect(screen.textContent).toContain('1 of 4 completed');
  expect(screen.textContent).toContain('1 file failed to upload');
  // The shell announces each failure.
  expect(texts('[role="status"]')).not.toContain('1 file failed to upload');
  expect(screen.textContent).toContain('37%');
  expect(screen.textContent).toContain('5 min left');
  expect(screen.textContent).toContain('8.4 MB/s, 1 min 22 s left. Resumes by itself');
  expect(screen.textContent).toContain('500 MB of 1.0 GB');
  expect(screen.textContent).toContain('Error: Upload failed: 507 Insufficient Storage');
});

test('a file that moves cannot be removed; pending and failed ones can, and all others once nothing runs', async () => {
  await drawUpload();
  const completed = row('done.mp4', { kind: 'completed', videoId: null, note: null });
  const failed = row('failed.mp4', { kind: 'failed', message: 'x' });
  await show(completed, failed, row('next.mp4'), row('moving.mp4', { kind: 'uploading', resumedAt: null }));
  const removals = () => buttons().filter((name) => name?.startsWith('Remove '));
  expect(removals()).toEqual(['Remove failed.mp4', 'Remove next.mp4']);
  await show(completed, failed);
  expect(removals()).toEqual(['Remove done.mp4', 'Remove failed.mp4']);
  await press('Remove done.mp4');
  await press('Retry failed.mp4');
  expect(asked.slice(-2)).toEqual([
    ['remove', 'done.mp4'],
    ['retry', 'failed.mp4'],
  ]);
});

test('one file and all of them are paused and resumed', async () => {
  await drawUpload();
  await show(row('a.mp4', { kind: 'uploading', resumedAt: null }));
  await press('Pause a.mp4');
  await press('Pause all');
  await show(row('a.mp4', { kind: 'waiting', reason: 'paused' }));
  await press('Resume a.mp4');
  await press('Resume all');
  expect(asked.slice(-4)).toEqual([['pause', 'a.mp4'], ['pauseAll'], ['resume', 'a.mp4'], ['resumeAll']]);
});

test('Clear Completed is there for completed files, and Clear All asks while an upload is running', async () => {
  await drawUpload();
  await show(row('a.mp4'));
  expect(buttons()).not.toContain('Clear Completed');
  await press('Clear All');
  expect(asked.slice(-1)).toEqual([['clearAll']]);
  asked.length = 0;
  await show(
    row('a.mp4', { kind: 'completed', videoId: null, note: null }),
    row('b.mp4', { kind: 'uploading', resumedAt: null }),
  );
  await press('Clear Completed');
  await press('Clear All');
  expect(dialog()?.textContent).toContain(
    'Uploads are in progress. Are you sure you want to clear all files? This will cancel ongoing uploads.',
  );
  expect(asked).toEqual([['clearCompleted']]);
  await press('Cancel');
  await settle();
  await press('Clear All');
  const confirm = [...(dialog()?.querySelectorAll('button') ?? [])].find((one) => one.textContent === 'Clear All');
  await settle(() => confirm?.click());
  expect(asked).toEqual([['clearCompleted'], ['clearAll']]);
});

test('the warning stands while a file moves that could not go on by itself, and only then', async () => {
  const sentence = 'Uploads are in progress. Do not close this window: closing cancels uploads.';
  const { screen } = await drawUpload();
  const moving = row('a.mp4', { kind: 'uploading', resumedAt: null });
  await show(moving);
  expect(screen.textContent).not.toContain(sentence);
  expect(screen.textContent).toContain('Resumes by itself');
  await show({ ...moving, resumesByItself: false });
  expect(screen.textContent).toContain(sentence);
  expect(screen.textContent).not.toContain('Resumes by itself');
  await show({ ...moving, resumesByItself: false, status: { kind: 'sent' } });
  expect(screen.textContent).not.toContain(sentence);
  await show({ ...moving, resumesByItself: false, status: { kind: 'waiting', reason: 'turn' } });
  expect(screen.textContent).toContain(sentence);
  await show({ ...moving, resumesByItself: false, status: { kind: 'waiting', reason: 'paused' } });
  expect(screen.textContent).not.toContain(sentence);
});

test('a second press of the key that started uploads removes nothing: the focus is on Pause all', async () => {
  await drawUpload();
  const file = row('a.mp4');
  await show(file, row('b.mp4'));
  button('Upload 2 files').focus();
  await show({ ...file, status: { kind: 'waiting', reason: 'turn' } }, row('b.mp4'));
  expect(document.activeElement?.textContent).toBe('Upload 1 file');
  await show(
    { ...file, status: { kind: 'uploading', resumedAt: null } },
    row('b.mp4', { kind: 'waiting', reason: 'turn' }),
  );
  expect(document.activeElement?.textContent).toBe('Pause all');
});

test('a focus that is elsewhere stays there when uploads start', async () => {
  await drawUpload();
  await show(row('a.mp4'));
  button('Choose files').focus();
  await show(row('a.mp4', { kind: 'waiting', reason: 'turn' }));
  expect(document.activeElement?.textContent).toBe('Choose files');
});

test('a session that could not be opened is said once', async () => {
  await drawUpload();
  await settle(() => {
    uploads.startFailure = 'Failed to start upload session: 507 Insufficient Storage';
  });
  expect(document.querySelector('[role="alertdialog"]')?.textContent).toContain(uploads.startFailure);
  await answerAlert();
  expect([dialog(), uploads.startFailure]).toEqual([null, null]);
});

test('a file that is needed again is chosen, and another one is refused with the reason', async () => {
  await drawUpload();
  await show(
    row('a.mp4', { kind: 'waiting', reason: 'pick-again' }),
    row('b.mp4', { kind: 'waiting', reason: 'permission' }),
  );
  answers.pickAgain = 'This is another file: its size differs.';
  const field = document.querySelector<HTMLInputElement>('li input[type="file"]');
  const opened = vi.spyOn(HTMLInputElement.prototype, 'click');
  await press('Choose a.mp4 again');
  expect(opened.mock.contexts).toEqual([field]);
  const file = new File(['x'], 'a.mp4');
  Object.defineProperty(field, 'files', { value: [file] });
  await settle(() => field?.dispatchEvent(new Event('change', { bubbles: true })));
  await settle();
  expect(asked.slice(-1)).toEqual([['pickAgain', 'a.mp4', { file, handle: null }]]);
  expect(dialog()?.textContent).toContain('This is another file: its size differs.');
  await answerAlert();
  await press('Allow reading b.mp4');
  expect(asked.slice(-1)).toEqual([['askPermission', 'b.mp4']]);
});

test('shared files are added by whoever wants them, or discarded', async () => {
  uploads.shared = [shared('s1', 'a.mp4', 'b.mp4'), shared('s2', 'c.mp4')];
  const { screen } = await drawUpload();
  expect(texts('h2')).toContain('2 videos were shared into the app');
  expect(texts('h2')).toContain('1 video was shared into the app');
  expect(screen.textContent).toContain('a.mp4, b.mp4, 2.0 MB');
  answers.claimShared = [{ filename: 'b.mp4', reason: 'File is empty' }];
  await press('Add to my uploads');
  await settle();
  expect(asked.slice(-1)).toEqual([['claimShared', 's1']]);
  expect(dialog()?.textContent).toContain('Some files were rejected:\nb.mp4: File is empty');
  await answerAlert();
  await press('Discard');
  expect(asked.slice(-1)).toEqual([['discardShared', 's1']]);
});

test('where all shared files were refused, this is said at once, and there is nothing to add', async () => {
  const reason = 'File size exceeds 5GB limit';
  answers.claimShared = [{ filename: 'a.mp4', reason }];
  uploads.shared = [shared('s1')];
  await drawUpload();
  await settle();
  expect(asked).toContainEqual(['claimShared', 's1']);
  expect(dialog()?.textContent).toContain(`Some files were rejected:\na.mp4: ${reason}`);
  expect(texts('h2').join()).not.toContain('shared into the app');
  expect(buttons()).not.toContain('Add to my uploads');
});

test('a row is drawn again when it changes itself, and not when another one does', async () => {
  await drawUpload();
  const rows = Array.from({ length: 60 }, (_, index) => row(`${index}.mp4`, { kind: 'waiting', reason: 'turn' }));
  await show(...rows);
  const lines = [...document.querySelectorAll('li')];
  expect(lines).toHaveLength(60);
  const changed = new Set<Node>();
  const observer = new MutationObserver((records) => {
    for (const { target } of records) changed.add(lines.find((line) => line.contains(target)) as Node);
  });
  observer.observe(document.querySelector('ul') as Node, {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
  });
  await settle(() => {
    const [first] = uploads.rows;
    if (first) first.status = { kind: 'processing' };
  });
  for (const { target } of observer.takeRecords()) changed.add(lines.find((line) => line.contains(target)) as Node);
  expect([...changed]).toEqual([lines[0]]);
  observer.disconnect();
});
