import type { FormEvent } from 'react';
import { useEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { focusStart } from '#app/platform/focus/focus-scopes.ts';
import { after } from '#app/platform/timers.ts';
import { Button } from '#app/ui/button.tsx';
import { PasswordField } from '#app/ui/form/password-field.tsx';
import { Logo } from '#app/ui/logo.tsx';
import { AccessSentence } from './access-sentence.tsx';
import { editPassword, enter, gate, resetGate } from './gate-store.ts';
import { NewsPanel } from './news-panel.tsx';
import styles from './password-screen.module.css';

/** §2 Password page: replaces everything while the site is closed to this browser. */
export default function PasswordScreen() {
  const form = useRef<HTMLFormElement>(null);
  const { password, failure, isBusy } = useSnapshot(gate, { sync: true });
  useEffect(() => {
    document.title = 'Fourfold';
    if (form.current) focusStart(form.current);
    return resetGate;
  }, []);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await enter();
    // The button could not keep the focus while it was disabled.
    after(0, () => form.current?.querySelector('input')?.focus());
  };
  return (
    <main className={styles.page}>
      <section className={styles.entrance}>
        <form ref={form} className={styles.column} noValidate onSubmit={submit}>
          <Logo className={styles.logo} />
          <h1>This site is private</h1>
          <AccessSentence />
          <PasswordField label="Password:" name="password" autoComplete="current-password" value={password} problem={failure} onChange={editPassword} />
          <div className={styles.send}>
            <Button label={isBusy ? 'Authenticating...' : 'Enter Site'} submits isBlock isDisabled={isBusy || password === ''} />
          </div>
        </form>
      </section>
      <NewsPanel />
    </main>
  );
}
