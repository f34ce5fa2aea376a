import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import type { Outcome } from '#app/ui/card.tsx';
import { createForm, readRefusal } from '#app/ui/form/form.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { listTagChanges, undoPersonTagChanges, undoTagChange as undoTagChangeCall } from '#contract/endpoints.ts';
import type { TagChangeRecord } from '#contract/entities/tag.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { notices } from '#contract/notices.ts';
import { checkUsername } from '#contract/rules/credentials.ts';
import type { PersonUndoHours } from '#contract/rules/tag.ts';
import { every } from '#device/timers.ts';

interface ChangeActions {
  /** Why a change could not be undone. */
  undoRefusal: string | null;
  /** The open step of undoing one person's changes: the form, then the question. Null: closed. */
  personUndo: 'person' | 'question' | null;
  personUndoNotice: Outcome | null;
}

const atRest: ChangeActions = {
  undoRefusal: null,
  personUndo: null,
  personUndoNotice: null,
};

export const changeActions = proxy<ChangeActions>({ ...atRest });

/** How often the list is reloaded while one of its changes is under way. */
const refreshMs = 3_000;

const limit = limits.tagChangesPerPage;

/** The changes to channels, latest first. */
export const tagChanges = createPagedList<TagChangeRecord, object>({
  limit,
  filters: {},
  load: async ({ page }, signal) => {
    const reply = await call(listTagChanges, { query: { page, limit }, signal });
    return { items: reply.changes, total: reply.total };
  },
  idOf: ({ id }) => id,
  toSentence: failures.loadTagChanges,
});

/**
 * Reloads the list at intervals while the tab is visible, and at once when the tab becomes visible.
 * Returns a function that stops it.
 */
export function watchChanges(): () => void {
  const refresh = () => {
    if (!document.hidden && !tagChanges.state.isLoading) void tagChanges.reload();
  };
  const stop = every(refreshMs, refresh);
  document.addEventListener('visibilitychange', refresh);
  return () => {
    stop();
    document.removeEventListener('visibilitychange', refresh);
  };
}

export async function undoTagChange(id: string): Promise<void> {
  changeActions.undoRefusal = null;
  try {
    await tagChanges.change(
      (items) => items.map((item) => (item.id === id ? { ...item, state: 'undoing' } : item)),
      () => call(undoTagChangeCall, { params: { id } }),
    );
  } catch (error) {
    changeActions.undoRefusal = readRefusal(error);
  }
}

/** Asks for the person whose changes are to be undone, and for the time span. */
export const personForm = createForm({
  empty: { username: '', hours: '1' },
  check: ({ username }) => ({ username: checkUsername(username) }),
  send: async () => {
    changeActions.personUndo = 'question';
  },
});

/** Confirms the undoing of the chosen person's changes. */
export const personQuestion = createForm({
  empty: {},
  check: () => ({}),
  send: async (_, signal) => {
    const { username, hours } = personForm.state.values;
    const body = { username: username.trim(), hours: Number(hours) as PersonUndoHours };
    await call(undoPersonTagChanges, { body, signal });
    Object.assign(changeActions, {
      personUndo: null,
      personUndoNotice: { kind: 'ok', sentence: notices.personUndoStarted } satisfies Outcome,
    });
    void tagChanges.goTo(1);
    void tagChanges.reload();
  },
});

export function openPersonUndo(): void {
  personForm.reset();
  personQuestion.reset();
  Object.assign(changeActions, { personUndo: 'person', personUndoNotice: null });
}

export function closePersonUndo(): void {
  personQuestion.reset();
  changeActions.personUndo = null;
}

export function resetChangeActions(): void {
  Object.assign(changeActions, atRest);
}
