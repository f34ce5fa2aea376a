import { useState } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { watchRemote } from '#app/shell/remote.ts';
import { ConfirmDialog } from '#app/ui/dialogs.tsx';
import { confirmations } from '#contract/confirmations.ts';
import { button, draw } from '../../draw.tsx';
import { focusedName, pressKey, pressKeys } from '../../keys.ts';
import { withRemote } from '../../with-remote.ts';

const onConfirm = vi.fn();
withRemote(watchRemote);
afterEach(() => void onConfirm.mockReset());

function Tag({ isBusy = false }) {
  const [isAsked, setAsked] = useState(false);
  const close = () => setAsked(false);
  return (
    <>
      <button type="button" onClick={() => setAsked(true)}>
        Delete Aurora
      </button>
      {isAsked && (
        <ConfirmDialog
          title="Delete Tag"
          sentence={confirmations.deleteTag}
          action="Delete"
          busy="Deleting..."
          isBusy={isBusy}
          onConfirm={onConfirm}
          onClose={close}
        />
      )}
    </>
  );
}

async function ask(isBusy = false) {
  await draw(<Tag isBusy={isBusy} />);
  button('Delete Aurora').focus();
  await pressKey('Enter');
}

const dialog = () => document.querySelector('[role="alertdialog"]');

test('it is an alert that reads out its question, and starts on Cancel', async () => {
  await ask();
  const text = (attribute: string) => document.getElementById(dialog()?.getAttribute(attribute) ?? '')?.textContent;
  expect([text('aria-labelledby'), text('aria-describedby')]).toEqual([
    'Delete Tag',
    'Are you sure you want to delete this tag?',
  ]);
  expect(focusedName()).toBe('Cancel');
});

test.each(['Enter', 'Escape'])('%s at once does nothing, and the focus is back where it was', async (key) => {
  await ask();
  await pressKey(key);
  expect([dialog(), onConfirm.mock.calls.length, focusedName()]).toEqual([null, 0, 'Delete Aurora']);
});

test('with a remote, the next button confirms', async () => {
  document.documentElement.dataset.form = 'tv';
  await ask();
  await pressKeys('ArrowDown', 'Enter');
  expect(onConfirm).toHaveBeenCalledTimes(1);
});

test('while it is at work it says so, and cannot be confirmed again', async () => {
  await ask(true);
  expect(button('Deleting...').disabled).toBe(true);
});
