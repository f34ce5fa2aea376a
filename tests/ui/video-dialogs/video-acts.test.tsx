import { act } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { watchRemote } from '#app/shell/remote.ts';
import { Dialogs } from '#app/shell/shell.tsx';
import { connection } from '#app/state/connection.ts';
import { closeDialog } from '#app/state/navigation.ts';
import { requestVideoAct } from '#app/state/view-requests.ts';
import { lateFailure } from '#app/ui/messages.tsx';
import type { FakeAnswer } from '../admin/fake-server.ts';
import { fakeServer } from '../admin/fake-server.ts';
import { button, draw, press, settle } from '../draw.tsx';
import { focusedName, type } from '../keys.ts';
import { withRemote } from '../with-remote.ts';

withRemote(watchRemote);

const video = { id: 'kelp', title: 'kelp.mp4' };
const path = 'POST /api/videos/kelp/reports';

let bodies: unknown[];
let answer: FakeAnswer;
let calls: string[];

beforeEach(async () => {
  [bodies, answer] = [[], { status: 204 }];
  const reply = (body: unknown) => {
    bodies.push(body);
    return answer;
  };
  calls = fakeServer({ [path]: reply, 'PUT /api/admin/videos/kelp/hidden': () => answer }).calls;
  await draw(<Dialogs />);
});

afterEach(async () => {
  await settle(() => {
    closeDialog();
    connection.isReachable = true;
  });
  vi.unstubAllGlobals();
});

const open = async (kind: 'report' | 'hide', onHidden = () => {}) => {
  await settle(() => requestVideoAct({ kind, video, onHidden }));
  await act(() => vi.dynamicImportSettled());
};
const dialog = () => document.querySelector('[role="dialog"], [role="alertdialog"]');
const appears = (words: string) =>
  vi.waitFor(async () => {
    await settle();
    expect(dialog()?.textContent).toContain(words);
  });
const radios = () => [...document.querySelectorAll('[role="radio"]')];
const chosen = () => radios().flatMap((one) => (one.getAttribute('aria-checked') === 'true' ? [one.textContent] : []));

describe('a viewer who reports a video', () => {
  test('chooses a reason, says what is wrong, and is thanked', async () => {
    await open('report');
    expect(radios().map((one) => one.textContent)).toEqual([
      'Does not play',
      'Wrong channel',
      'Not suitable',
      'Rights',
      'Something else',
    ]);
    expect(dialog()?.textContent).toContain('kelp.mp4');
    await press('Rights');
    await press('Wrong channel');
    expect(chosen()).toEqual(['Wrong channel']);
    await settle(() => document.querySelector<HTMLInputElement>('[role="dialog"] input')?.focus());
    await type(' No kelp in it. ');
    await press('Send');
    await appears('Thank you. An administrator will look at it.');
    expect(bodies).toEqual([{ reason: 'channel', text: 'No kelp in it.' }]);
    expect(focusedName()).toBe('Done');
    await press('Done');
    expect(dialog()).toBe(null);
    await open('report');
    expect([chosen(), document.querySelector('input')?.value]).toEqual([[], '']);
  });

  test('is asked for a reason, where the focus goes, before anything is sent', async () => {
    await open('report');
    await press('Send');
    expect(dialog()?.querySelector('[role="alert"]')?.textContent).toBe('Choose a reason');
    expect([focusedName(), calls]).toEqual(['Does not play', []]);
  });

  test('reads why it was refused, and keeps what was typed', async () => {
    answer = { status: 429, json: { error: 'rate_limited', message: 'Too many attempts.' } };
    await open('report');
    await press('Something else');
    await settle(() => document.querySelector<HTMLInputElement>('[role="dialog"] input')?.focus());
    await type('It is upside down');
    await press('Send');
    await appears('Too many attempts.');
    expect([chosen(), document.querySelector('input')?.value]).toEqual([['Something else'], 'It is upside down']);
    expect(button('Send').disabled).toBe(false);
  });

  test('needs a connection', async () => {
    connection.isReachable = false;
    await open('report');
    expect(dialog()?.textContent).toContain('Needs a connection');
    expect(button('Send').disabled).toBe(true);
  });
});

describe('an administrator who hides a video from a player', () => {
  test('is asked first, and then leaves it', async () => {
    const onHidden = vi.fn();
    await open('hide', onHidden);
    expect(dialog()?.textContent).toContain('Are you sure you want to hide kelp.mp4?');
    expect([focusedName(), calls]).toEqual(['Cancel', []]);
    await press('Hide video');
    await vi.waitFor(() => expect(onHidden.mock.calls).toEqual([['kelp']]));
    await settle();
    expect([dialog(), calls]).toEqual([null, ['PUT /api/admin/videos/kelp/hidden']]);
  });

  test('stays where it is when the server refuses', async () => {
    answer = { status: 403, json: { error: 'forbidden', message: 'You are not allowed to do this.' } };
    const onHidden = vi.fn();
    await open('hide', onHidden);
    await press('Hide video');
    await appears('You are not allowed to do this.');
    expect(onHidden).not.toHaveBeenCalled();
  });
});

test.each([
  ['report', 'Send', 'Failed to report the video: You are not allowed to do this.'],
  ['hide', 'Hide video', 'Failed to hide the video: You are not allowed to do this.'],
] as const)('a refusal to %s is told although the dialog was closed meanwhile', async (kind, action, sentence) => {
  answer = { status: 403, json: { error: 'forbidden', message: 'You are not allowed to do this.' } };
  await open(kind);
  if (kind === 'report') await press('Rights');
  const { fetch } = globalThis;
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  vi.stubGlobal('fetch', (given: string, init: RequestInit) => held.then(() => fetch(given, init)));
  await press(action);
  await press('Cancel');
  expect([dialog(), lateFailure.sentence]).toEqual([null, null]);
  release();
  await vi.waitFor(() => expect(lateFailure.sentence).toBe(sentence));
  lateFailure.sentence = null;
});
