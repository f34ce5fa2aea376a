import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { connection } from '#app/state/connection.ts';
import { Notice } from '#app/ui/card.tsx';
import { createForm, useForm } from '#app/ui/form/form.ts';
import { PasswordField } from '#app/ui/form/text-field.tsx';
import styles from './first-run-access.module.css';
import shared from './section.module.css';
import { findSetting, saveSettings, siteSettings } from './settings-store.ts';

/**
 * Who may come in; `invitation`: everybody may watch, and accounts are made by invitation alone.
 */
type SiteAccess = 'everybody' | 'password' | 'invitation';

const choices: readonly { name: SiteAccess; label: string; words: string }[] = [
  {
    name: 'everybody',
    label: 'Everybody on this network',
    words: 'Whoever reaches this address watches, and can make an account.',
  },
  {
    name: 'password',
    label: 'With a password',
    words: 'Each device is asked once for a password that all share.',
  },
  {
    name: 'invitation',
    label: 'Accounts by invitation',
    words: 'Everybody on this network watches. An account needs an invitation of yours.',
  },
];

/** Asks who may come in. */
export function AccessStep({ onSaved }: { onSaved: () => void }) {
  const { chosen } = useSnapshot(access);
  const { state, field, formProps } = useForm(accessForm);
  const { isReachable } = useSnapshot(connection);
  useEffect(() => openAccess(onSaved), [onSaved]);
  return (
    <form {...formProps} className={shared.fields}>
      <fieldset className={styles.choices}>
        <legend className="visually-hidden">Who may come in</legend>
        {choices.map(({ name, label, words }) => (
          <button
            key={name}
            type="button"
            className={styles.choice}
            aria-pressed={name === chosen}
            data-focus-first={name === chosen || undefined}
            onClick={() => choose(name)}
          >
            <span className={styles.label}>{label}</span>
            <span className={styles.words}>{words}</span>
          </button>
        ))}
      </fieldset>
      {chosen === 'password' && (
        <PasswordField label="Site password" autoComplete="new-password" {...field('SITE_PASSWORD')} />
      )}
      {!isReachable && <p className={shared.quiet}>Needs a connection</p>}
      {state.refusal !== null && <Notice notice={{ kind: 'danger', sentence: state.refusal }} />}
    </form>
  );
}

interface AccessState {
  chosen: SiteAccess;
  /** Called once it holds. */
  onSaved: () => void;
}

const unknown: AccessState = { chosen: 'everybody', onSaved: () => {} };

const access = proxy<AccessState>({ ...unknown });

/** Shows who may come in now. Returns a function that forgets what was typed. */
function openAccess(onSaved: () => void): () => void {
  Object.assign(access, { chosen: currentAccess(), onSaved });
  return () => {
    accessForm.reset();
    Object.assign(access, unknown);
  };
}

function choose(name: SiteAccess): void {
  access.chosen = name;
}

function currentAccess(): SiteAccess {
  const { value } = siteSettings.state;
  if (value && findSetting(value, 'SITE_PASSWORD')?.is_set) return 'password';
  return value && findSetting(value, 'REGISTRATION')?.value === 'closed' ? 'invitation' : 'everybody';
}

/** Stores who may come in, where that is another choice than the current one. */
export const accessForm = createForm<'SITE_PASSWORD'>({
  empty: { SITE_PASSWORD: '' },
  check: ({ SITE_PASSWORD: password }) => {
    const isNeeded = access.chosen === 'password' && currentAccess() !== 'password';
    return { SITE_PASSWORD: isNeeded && password.trim() === '' ? 'Choose a password' : null };
  },
  send: async ({ SITE_PASSWORD: password }, signal) => {
    const { chosen } = access;
    if (chosen !== currentAccess())
      await saveSettings({
        SITE_PASSWORD: chosen === 'password' ? password : null,
        REGISTRATION: chosen === 'invitation' ? 'closed' : null,
      });
    else if (chosen === 'password' && password !== '') await saveSettings({ SITE_PASSWORD: password });
    if (!signal.aborted) access.onSaved();
  },
});
