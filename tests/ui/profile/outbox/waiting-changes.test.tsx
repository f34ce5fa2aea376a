import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import AccountDialog from '#app/features/profile/account-dialog.tsx';
import { clearForms, deletionForm, openedForm, openForm } from '#app/features/profile/account-forms.ts';
import { cancelSignOut, SignOutDialog, startSignOut } from '#app/features/profile/sign-out-dialog.tsx';
import { WaitingCard } from '#app/features/profile/waiting-card.tsx';
import { clearTokens, refreshToken, storeTokens } from '#app/platform/http/token-store.ts';
import { recovered } from '#app/platform/link.ts';
import { connection } from '#app/state/connection.ts';
import { navigation, resetNavigation } from '#app/state/navigation.ts';
import { stopOutbox } from '#app/state/outbox/outbox-session.ts';
import { outbox, readOutbox, resetOutbox } from '#app/state/outbox/outbox-state.ts';
import { resetSession, session } from '#app/state/session.ts';
import type { UploadStatus } from '#app/state/uploads/uploads-state.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import type { OutboxDraft } from '#device/outbox-entry.ts';
import { outboxStore } from '#device/outbox-store.ts';
import { newBatch, newUpload } from '#device/uploads/queued-upload.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';
import { completed, failed, uploading, uploadRow, waiting } from '#tests/unit/app/shell/uploads/upload-rows.ts';
import { nobody, person, tokens } from '#tests/unit/app/state/people.ts';
import { assignment, creation } from '#tests/unit/device/outbox/drafts.ts';
import { fakeServer } from '../../admin/fake-server.ts';
import { button, draw, press, settle } from '../../draw.tsx';

let routes: Parameters<typeof fakeServer>[0];
let server: ReturnType<typeof fakeServer>;

beforeEach(() => {
  const me = { authenticated: true, user: person(), features: person().features };
  routes = { 'GET /users/profile': () => (refreshToken() === null ? nobody : { json: me }) };
  server = fakeServer(routes);
  storeTokens(tokens());
  const user = person();
  Object.assign(session, { phase: 'known', user, features: user.features });
  connection.isReachable = false;
});

afterEach(async () => {
  stopOutbox();
  await outboxStore.discardAll('user-1');
  await settle(() => {
    cancelSignOut();
    clearForms();
    resetNavigation();
    resetOutbox();
    clearTokens();
    resetSession();
    connection.isReachable = true;
    Object.assign(uploads, { rows: [], isLasting: true });
  });
  localStorage.clear();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const mine = { userId: 'user-1', createdAt: Date.parse('2026-11-22T12:00:00Z') };
const tagging = assignment('v1', ['tag-1'], { ...mine, subject: 'Cabin.mp4' });

async function store(...drafts: OutboxDraft[]): Promise<void> {
  for (const draft of drafts) await outboxStore.add(draft);
  await readOutbox();
}

const rows = () => [...document.querySelectorAll('li p:first-child')].map(({ textContent }) => textContent);
const dialog = () => document.querySelector('[role="alertdialog"]');
const inDialog = (name: string) =>
  [...(dialog()?.querySelectorAll('button') ?? [])].find(({ textContent }) => textContent === name);
const stored = async () => (await outboxStore.list('user-1')).length;

describe('the section of waiting changes', () => {
  test('is not there while nothing waits', async () => {
    expect((await draw(<WaitingCard />)).textContent).toBe('');
  });

  test('says in words what waits, since when, and that a private window loses it', async () => {
    const facts = { ...mine, params: null, subject: null };
    const rename = {
      ...facts,
      call: 'updateTag',
      params: { id: 'a' },
      body: { name: 'Dusk' },
      idempotencyKey: '1',
    } as const;
    const off = {
      ...facts,
      call: 'removeTag',
      params: { path: 'v1', tagId: 'a' },
      body: undefined,
      subject: 'Cabin.mp4',
      idempotencyKey: '2',
    } as const;
    const blocklist = {
      ...facts,
      call: 'updateBlocklist',
      body: { blocked_tag_ids: ['a'] },
      idempotencyKey: '3',
    } as const;
    const step = {
      ...facts,
      call: 'updateProfile',
      body: { settings: { skip_duration_seconds: 90 } },
      idempotencyKey: '4',
    } as const;
    const keys = {
      ...facts,
      call: 'updateProfile',
      body: { settings: { shortcut_keys: false } },
      idempotencyKey: '5',
    } as const;
    const shuffle = { ...keys, body: { settings: { shuffle: 'random' } }, idempotencyKey: '6' } as const;
    await store(creation('Night', 'x', mine), rename, tagging, off, blocklist, step, keys, shuffle);
    const screen = await draw(<WaitingCard />);
    expect(rows()).toEqual([
      'New channel: Night',
      'Channel changed: Dusk',
      'Channels of a video: Cabin.mp4',
      'Channel taken off a video: Cabin.mp4',
      'Blocklist: 1 channel',
      'Skip duration: 1m 30s',
      'Keyboard shortcuts off',
      'Shuffle: Purely random',
    ]);
    expect(screen.textContent).toContain('Waiting · Made ');
    expect(screen.textContent).toContain('changes that wait are lost when this page is closed.');
  });

  test('sends everything on demand, and says that all was sent', async () => {
    await store(tagging);
    const screen = await draw(<WaitingCard />);
    routes['POST /api/videos/v1/tags'] = () => ({ json: { tags: [] } });
    await press('Send now');
    await vi.waitFor(() => expect(screen.textContent).toContain('All changes have been sent.'));
    expect(rows()).toEqual([]);
  });

  test('says that not everything could be sent', async () => {
    await store(tagging);
    const screen = await draw(<WaitingCard />);
    await press('Send now');
    await vi.waitFor(() => expect(screen.textContent).toContain('Not everything could be sent.'));
    expect(rows()).toHaveLength(1);
  });

  test.each([
    ['everything was sent by itself', () => recovered.emit()],
    ['the rest was discarded', () => press('Discard: Channels of a video: Cabin.mp4')],
  ])('says nothing of it any more once %s', async (_, end) => {
    await store(tagging);
    const screen = await draw(<WaitingCard />);
    await press('Send now');
    await vi.waitFor(() => expect(screen.textContent).toContain('Not everything could be sent.'));
    routes['POST /api/videos/v1/tags'] = () => ({ json: { tags: [] } });
    await settle(end);
    await vi.waitFor(() => expect(screen.textContent).toBe(''));
  });

  test('does not say that all was sent where something waits again', async () => {
    await store(tagging);
    const screen = await draw(<WaitingCard />);
    routes['POST /api/videos/v1/tags'] = () => ({ json: { tags: [] } });
    await press('Send now');
    await vi.waitFor(() => expect(screen.textContent).toContain('All changes have been sent.'));
    await settle(() => store(assignment('v2', ['tag-1'], { ...mine, subject: 'Lake.mp4' })));
    expect(rows()).toEqual(['Channels of a video: Lake.mp4']);
    expect(screen.textContent).not.toContain('All changes have been sent.');
  });

  test('shows a refusal with its sentence, and tries it again', async () => {
    await store(tagging);
    const screen = await draw(<WaitingCard />);
    routes['POST /api/videos/v1/tags'] = () => ({ status: 404, json: { error: 'not_found', message: 'It is gone.' } });
    await press('Send now');
    await vi.waitFor(() => expect(screen.textContent).toContain('Refused: It is gone.'));
    routes['POST /api/videos/v1/tags'] = () => ({ json: { tags: [] } });
    await press('Try again: Channels of a video: Cabin.mp4');
    await vi.waitFor(() => expect(rows()).toEqual([]));
  });

  test('discards one, and all after a question', async () => {
    await store(tagging, creation('Night', 'x', mine), creation('Day', 'y', mine));
    await draw(<WaitingCard />);
    await press('Discard: New channel: Night');
    await vi.waitFor(() => expect(rows()).toEqual(['Channels of a video: Cabin.mp4', 'New channel: Day']));
    await press('Discard all');
    expect(dialog()?.textContent).toContain('Are you sure you want to discard all waiting changes? They are not sent.');
    await settle(() => inDialog('Discard all')?.click());
    await vi.waitFor(() => expect(rows()).toEqual([]));
    expect([await stored(), server.calls.includes('POST /api/tags')]).toEqual([0, false]);
  });

  test('cannot discard what is under way', async () => {
    let answer = (_: Response) => {};
    vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => (answer = resolve)));
    await store(tagging);
    const screen = await draw(<WaitingCard />);
    await vi.waitFor(() => expect(screen.textContent).toContain('Sending...'));
    expect(button('Discard: Channels of a video: Cabin.mp4').disabled).toBe(true);
    await settle(() => answer(new Response('{"tags":[]}')));
    await vi.waitFor(() => expect(rows()).toEqual([]));
  });
});

describe('a sign-out', () => {
  const isOut = () => expect(session.user).toBeNull();
  const ask = async (scope: 'here' | 'everywhere' = 'here') => {
    await draw(<SignOutDialog />);
    await settle(() => startSignOut(scope));
  };

  test('asks nothing where nothing waits', async () => {
    await ask();
    expect(dialog()).toBeNull();
    await vi.waitFor(isOut);
  });

  test('asks what becomes of what waits, also without a network', async () => {
    vi.spyOn(outboxStore, 'isLasting').mockResolvedValue(true);
    await store(tagging);
    await ask();
    expect(dialog()?.textContent).toContain('1 change has not been sent yet.');
    expect(dialog()?.textContent).toContain('You are offline.');
    expect(['Send now', 'Keep for me', 'Discard'].map((name) => inDialog(name)?.disabled)).toEqual([
      true,
      false,
      false,
    ]);
    await settle(() => button('Close').click());
    expect([dialog(), session.user?.id]).toEqual([null, 'user-1']);
  });

  test('keeps it for its owner', async () => {
    vi.spyOn(outboxStore, 'isLasting').mockResolvedValue(true);
    await store(tagging);
    await ask();
    await settle(() => inDialog('Keep for me')?.click());
    await vi.waitFor(isOut);
    expect(await stored()).toBe(1);
    expect((await outboxStore.list('user-1'))[0]?.keptUntil).toBeGreaterThan(Date.now());
  });

  test('says so where everything was sent while it asked', async () => {
    await store(tagging);
    await ask();
    await settle(async () => {
      await outboxStore.discardAll('user-1');
      await readOutbox();
    });
    expect(dialog()?.querySelector('p')?.textContent).toBe('All changes have been sent.');
    expect(session.user?.id).toBe('user-1');
    await settle(() => inDialog('Sign Out')?.click());
    await vi.waitFor(isOut);
  });

  test('cannot keep it where nothing outlives the page', async () => {
    await store(tagging);
    await ask();
    expect(dialog()?.textContent).toContain('changes that wait are lost when this page is closed.');
    expect(inDialog('Keep for me')?.disabled).toBe(true);
  });

  test('discards it', async () => {
    await store(tagging);
    await ask();
    await settle(() => inDialog('Discard')?.click());
    await vi.waitFor(isOut);
    expect(await stored()).toBe(0);
  });

  test('sends it first, and stays when not everything could be sent', async () => {
    connection.isReachable = true;
    await store(tagging);
    await ask();
    routes['POST /api/videos/v1/tags'] = () => ({ status: 500, json: { error: 'internal', message: 'Internal' } });
    await settle(() => inDialog('Send now')?.click());
    await vi.waitFor(() => expect(dialog()?.textContent).toContain('Not everything could be sent.'));
    expect(session.user?.id).toBe('user-1');
    routes['POST /api/videos/v1/tags'] = () => ({ json: { tags: [] } });
    await settle(() => inDialog('Send now')?.click());
    await vi.waitFor(isOut);
    expect(await stored()).toBe(0);
  });

  test('everywhere asks the same, before its own question', async () => {
    await store(tagging);
    await ask('everywhere');
    await settle(() => inDialog('Discard')?.click());
    await vi.waitFor(() => expect(navigation.dialog).toBe('account'));
    expect([openedForm.name, session.user?.id, await stored()]).toEqual(['signing-out', 'user-1', 0]);
  });
});

describe('a sign-out while files are uploaded', () => {
  const ask = async (...statuses: UploadStatus[]) => {
    uploads.rows = statuses.map((status) => uploadRow(status));
    await draw(<SignOutDialog />);
    await settle(() => startSignOut('here'));
  };

  test('asks first, and goes on where that is wanted', async () => {
    await ask(uploading, waiting('paused'), { kind: 'sent' }, { kind: 'processing' }, completed, failed);
    expect(dialog()?.textContent).toContain('3 videos are still being uploaded.');
    expect(session.user?.id).toBe('user-1');
    await settle(() => inDialog('Sign Out')?.click());
    await vi.waitFor(() => expect([session.user, dialog()]).toEqual([null, null]));
  });

  test('stays where that is wanted', async () => {
    await ask(uploading);
    expect(dialog()?.textContent).toContain('1 video is still being uploaded.');
    await settle(() => inDialog('Cancel')?.click());
    expect([dialog(), session.user?.id]).toEqual([null, 'user-1']);
  });

  test('says what a private window does with them', async () => {
    uploads.isLasting = false;
    await ask(uploading);
    expect(dialog()?.textContent).toContain('files that wait are lost when this page is closed.');
  });

  test('asks about waiting changes next', async () => {
    await store(tagging);
    await ask(uploading);
    await settle(() => inDialog('Sign Out')?.click());
    expect(session.user?.id).toBe('user-1');
    await settle(() => inDialog('Discard')?.click());
    await vi.waitFor(() => expect(session.user).toBeNull());
  });

  test('asks nothing where all of them are with the server', async () => {
    await ask({ kind: 'processing' }, completed, failed);
    await vi.waitFor(() => expect(session.user).toBeNull());
  });
});

test('the end of an account says that uploads end with it, and removes them from the device', async () => {
  connection.isReachable = true;
  const batch = newBatch({ userId: 'user-1', createdAt: 0 });
  const source = { kind: 'picked-again' } as const;
  await uploadStore.add(batch, [newUpload(new File(['x'], 'a.mp4'), { batchId: batch.id, source, createdAt: 0 })]);
  uploads.rows = [uploadRow(waiting('paused'))];
  openForm('deletion');
  await draw(<AccountDialog onClose={() => {}} />);
  expect(dialog()?.textContent).toContain('Videos that are not uploaded yet are not sent any more');
  routes['DELETE /users/profile'] = () => ({ status: 204 });
  await settle(() => deletionForm.change('password', 'north pier at dawn'));
  await settle(() => void deletionForm.submit());
  await vi.waitFor(async () => expect(await uploadStore.list('user-1')).toEqual([]));
});

test('the end of an account says nothing of uploads where none are left to send', async () => {
  uploads.rows = [uploadRow(completed), uploadRow(failed)];
  openForm('deletion');
  await draw(<AccountDialog onClose={() => {}} />);
  expect(dialog()?.textContent).not.toContain('not sent any more');
});

test('the end of an account says that what waits ends with it, and discards it', async () => {
  connection.isReachable = true;
  await store(tagging);
  openForm('deletion');
  await draw(<AccountDialog onClose={() => {}} />);
  expect(dialog()?.textContent).toContain('Changes that still wait for the network are discarded with it.');
  routes['DELETE /users/profile'] = () => ({ status: 204 });
  await settle(() => deletionForm.change('password', 'north pier at dawn'));
  await settle(() => void deletionForm.submit());
  await vi.waitFor(async () => expect(await stored()).toBe(0));
  expect(outbox.entries).toEqual([]);
});
