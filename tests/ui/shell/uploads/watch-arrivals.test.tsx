import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchArrivals } from '#app/shell/upload-indicator.tsx';
import {
  clearAddressCodes,
  navigation,
  openDialog,
  openView,
  readAddressCode,
  resetNavigation,
  startNavigation,
} from '#app/state/navigation.ts';
import { resetSession, session } from '#app/state/session.ts';
import { claimOpenedFiles, openedFiles } from '#app/state/view-requests.ts';
import { person } from '#tests/unit/app/state/people.ts';
import { settle } from '../../draw.tsx';

type Consumer = (launch: { files?: unknown[] }) => void;

let stop = () => {};

afterEach(async () => {
  await settle(() => {
    stop();
    claimOpenedFiles();
    clearAddressCodes('share');
    resetNavigation();
    resetSession();
  });
  history.replaceState(null, '', '/');
  vi.unstubAllGlobals();
});

test('files that were opened with the app wait for Upload, which opens', async () => {
  let consume: Consumer = () => {};
  vi.stubGlobal('launchQueue', { setConsumer: (given: Consumer) => (consume = given) });
  stop = watchArrivals();
  consume({ files: [] });
  consume({});
  expect([navigation.view, openedFiles.waiting]).toEqual(['feed', []]);
  const clip = { kind: 'file', name: 'a.mp4' };
  consume({ files: [clip, { kind: 'directory', name: 'Holiday' }] });
  expect(navigation.view).toBe('upload');
  const claimed = claimOpenedFiles();
  expect(claimed).toEqual([clip]);
  expect(claimed[0]).toBe(clip);
  expect(claimOpenedFiles()).toEqual([]);
  stop();
  consume({ files: [clip] });
  expect(openedFiles.waiting).toEqual([]);
});

test('where the system opens no files, nothing happens', () => {
  stop = watchArrivals();
  expect(openedFiles.waiting).toEqual([]);
});

/** As after a sign-in that reloads the page. */
const opensUploadAgain = () => readAddressCode('share') !== null;

const arrive = () => {
  history.replaceState(null, '', '/?view=upload&share=0198-abc');
  startNavigation();
  stop = watchArrivals();
};

beforeEach(resetNavigation);

test('a share opens Upload also after a sign-in that reloads the page', async () => {
  arrive();
  await settle(() => openDialog('sign-in'));
  expect([navigation.view, opensUploadAgain()]).toEqual(['upload', true]);
  await settle(() => {
    session.user = person();
  });
  expect(opensUploadAgain()).toBe(false);
});

test('a share is not asked about again after somebody has left Upload', async () => {
  arrive();
  await settle(() => openView('channels'));
  expect(opensUploadAgain()).toBe(false);
});
