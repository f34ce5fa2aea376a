import { useEffect } from 'react';
import { focusStart } from '#app/platform/input/focus-scopes.ts';
import { Button } from '#app/ui/button.tsx';
import { PasswordField } from '#app/ui/form/password-field.tsx';
import { useForm } from '#app/ui/form/use-form.ts';
import { Logo } from '#app/ui/logo.tsx';
import { AccessSentence } from './access-sentence.tsx';
import { gateForm } from './gate-store.ts';
import { NewsPanel } from './news-panel.tsx';
import styles from './password-screen.module.css';

/** §2 Password page: replaces everything while the site is closed to this browser. */
export default function PasswordScreen() {
  const { state, field, formProps } = useForm(gateForm);
  const form = formProps.ref;
  useEffect(() => {
    document.title = 'Fourfold';
    if (form.current) focusStart(form.current);
    return () => gateForm.reset();
  }, [form]);
  return (
    <main className={styles.page}>
      <section className={styles.entrance}>
        <form {...formProps} className={styles.column}>
          <Logo className={styles.logo} />
          <h1>This site is private</h1>
          <AccessSentence />
          <PasswordField label="Password:" name="password" autoComplete="current-password" {...field('password')} />
          <div className={styles.send}>
            <Button
              label={state.isBusy ? 'Authenticating...' : 'Enter Site'}
              submits
              isBlock
              isDisabled={state.isBusy || state.values.password === ''}
            />
          </div>
        </form>
      </section>
      <NewsPanel />
    </main>
  );
}
