import { beforeEach, expect, test, vi } from 'vitest';
import { createForm } from '#app/features/profile/form.ts';
import { HttpError, NetworkError } from '#app/platform/http/http-error.ts';

const send = vi.fn(async (_: { email: string }) => {});

const openForm = () => createForm({ empty: { email: '' }, check: ({ email }) => ({ email: email === '' ? 'Email is required' : null }), send });

beforeEach(() => {
  send.mockReset();
});

test('what is refused here is not sent, and its sentence goes when the field is edited', async () => {
  const form = openForm();
  await form.submit();
  expect([form.state.problems.email, form.state.refusals]).toEqual(['Email is required', 1]);
  expect(send).not.toHaveBeenCalled();
  form.change('email', 'm');
  expect(form.state.problems.email).toBeUndefined();
});

test('what the server refuses comes back to the field that it names, else to the whole', async () => {
  const form = openForm();
  form.change('email', 'mara@example.com');
  send.mockRejectedValueOnce(new HttpError(409, 'Conflict', 'conflict', [{ field: 'email', message: 'This email is taken' }]));
  await form.submit();
  expect([form.state.problems.email, form.state.refusal]).toEqual(['This email is taken', null]);
  send.mockRejectedValueOnce(new HttpError(429, 'Too many tries', 'rate_limited'));
  await form.submit();
  expect([form.state.problems.email, form.state.refusal]).toEqual([undefined, 'Too many tries']);
  send.mockRejectedValueOnce(new NetworkError());
  await form.submit();
  expect([form.state.refusal, form.state.isBusy]).toEqual(['Connection error. Please try again.', false]);
});

test('two presses send once', async () => {
  const form = openForm();
  form.change('email', 'mara@example.com');
  let arrive: () => void = () => {};
  send.mockReturnValue(
    new Promise<void>((resolve) => {
      arrive = resolve;
    }),
  );
  const first = form.submit();
  await form.submit();
  arrive();
  await first;
  expect(send).toHaveBeenCalledTimes(1);
});

test('a form that begins again keeps nothing', async () => {
  const form = openForm();
  form.change('email', 'mara');
  await form.submit();
  form.reset();
  expect(form.state).toEqual({ values: { email: '' }, problems: {}, refusal: null, isBusy: false, refusals: 0 });
});
