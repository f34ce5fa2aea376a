import { beforeEach, describe, expect, test, vi } from 'vitest';
import { HttpError, NetworkError } from '#app/platform/http/send.ts';
import { createForm } from '#app/ui/form/form.ts';
import { lateFailure } from '#app/ui/messages.tsx';

const send = vi.fn(async (_: { email: string }) => {});

const openForm = () =>
  createForm({
    empty: { email: '' },
    check: ({ email }) => ({ email: email === '' ? 'Email is required' : null }),
    send,
  });

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
  send.mockRejectedValueOnce(
    new HttpError(409, 'Conflict', 'conflict', [{ field: 'email', message: 'This email is taken' }]),
  );
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

test('a form that was reset ignores the outcome of what it had sent, and tells the call so', async () => {
  const form = openForm();
  form.change('email', 'mara@example.com');
  let sent: AbortSignal | undefined;
  let fail = () => {};
  send.mockImplementationOnce(
    (...[, signal]: unknown[]) =>
      new Promise<void>((_, reject) => {
        sent = signal as AbortSignal;
        fail = () => reject(new NetworkError());
      }),
  );
  const submission = form.submit();
  form.reset({ email: 'olga@example.com' });
  fail();
  await submission;
  expect(sent?.aborted).toBe(true);
  expect(form.state).toEqual({
    values: { email: 'olga@example.com' },
    problems: {},
    refusal: null,
    isBusy: false,
    refusals: 0,
  });
});

test('a form whose page is about to close stays busy after success, and is free again after a refusal', async () => {
  const form = createForm({ empty: { email: '' }, check: () => ({}), send, staysBusy: true });
  send.mockRejectedValueOnce(new NetworkError());
  await form.submit();
  expect(form.state.isBusy).toBe(false);
  await form.submit();
  expect(form.state.isBusy).toBe(true);
});

test('a form may show every failure at one field', async () => {
  const form = createForm({
    empty: { code: '' },
    check: () => ({}),
    send: () => Promise.reject(new NetworkError()),
    toProblems: () => ({ code: 'Try again' }),
  });
  await form.submit();
  expect([form.state.problems, form.state.refusal, form.state.refusals]).toEqual([{ code: 'Try again' }, null, 1]);
});

describe('a failure that comes after the form was closed', () => {
  const closeUnderWay = async (meanwhile = () => {}) => {
    const form = createForm({
      empty: { email: 'mara@example.com' },
      check: () => ({}),
      send,
      toLateSentence: (error) => `Failed to change it: ${(error as Error).message}`,
    });
    let refuse = (_: Error) => {};
    send.mockReturnValue(new Promise<void>((_, reject) => (refuse = reject)));
    const sent = form.submit();
    form.reset();
    meanwhile();
    refuse(new HttpError(429, 'Too many tries', 'rate_limited'));
    await sent;
    return form;
  };

  beforeEach(() => void Object.assign(lateFailure, { sentence: null }));

  test('is told over the view, and not by the form', async () => {
    const form = await closeUnderWay();
    expect(lateFailure.sentence).toBe('Failed to change it: Too many tries');
    expect([form.state.refusal, form.state.refusals]).toEqual([null, 0]);
  });

  test('is not told to somebody who has signed in since', async () => {
    await closeUnderWay(() => {
      lateFailure.person = Symbol();
    });
    expect(lateFailure.sentence).toBeNull();
  });
});
