import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import PasswordScreen from '#app/features/auth/password-screen.tsx';
import SignInDialog from '#app/features/auth/sign-in-dialog.tsx';
import { resetProviders } from '#app/state/providers.ts';
import type { EntryForm } from '#tests/support/refused-entries.ts';
import { goodEntries, refusedEntries } from '#tests/support/refused-entries.ts';
import { draw, settle } from './draw.tsx';
import { layOut } from './laid-out.ts';

const fetch = vi.fn(
  async (_address: string, _options?: RequestInit) => new Response('{"error":"internal"}', { status: 500 }),
);

beforeEach(() => {
  layOut();
  vi.stubGlobal('fetch', fetch);
});

afterEach(async () => {
  await settle(resetProviders);
  fetch.mockClear();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const screens: Record<EntryForm, () => React.ReactNode> = {
  'sign-in': () => <SignInDialog mode="sign-in" onClose={() => {}} />,
  registration: () => <SignInDialog mode="register" onClose={() => {}} />,
  gate: () => <PasswordScreen />,
};

/** Where password managers want another name than the server's. */
const inputNames: Record<string, string> = { identifier: 'username', display_name: 'display-name' };

function inputOf(field: string): HTMLInputElement {
  return document.querySelector(`input[name="${inputNames[field] ?? field}"]`) as HTMLInputElement;
}

/** As a keyboard does it: React looks at what the browser's own setter was given. */
async function type(field: string, text: string): Promise<void> {
  const input = inputOf(field);
  await settle(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

/** What stands at a field, to eyes and to screen readers. */
function noteAt(field: string): string | null {
  const input = inputOf(field);
  if (input.getAttribute('aria-invalid') !== 'true') return null;
  const note = document.getElementById(input.getAttribute('aria-describedby') ?? '');
  return note?.getAttribute('role') === 'alert' ? note.textContent : null;
}

test.each(refusedEntries)(
  'the form of $form says at the $field until it is edited: $sentence',
  async ({ form, field, value, sentence }) => {
    await draw(screens[form]());
    await settle();
    for (const [name, text] of Object.entries({ ...goodEntries[form], [field]: value })) await type(name, text);
    expect(noteAt(field)).toBeNull();

    await settle(() => document.querySelector('form')?.requestSubmit());
    expect(noteAt(field)).toBe(sentence);
    expect(fetch.mock.calls.filter(([, options]) => options?.method === 'POST')).toEqual([]);

    await type(field, `${value}.`);
    expect(noteAt(field)).toBeNull();
  },
);
