import { CircleAlert } from 'lucide-react';
import type { FormEvent } from 'react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { Banner } from '#app/ui/banner.tsx';
import { Button } from '#app/ui/button.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { PasswordField } from '#app/ui/form/password-field.tsx';
import { TextField } from '#app/ui/form/text-field.tsx';
import styles from './auth-form.module.css';
import { focusOnRefusal } from './focus-on-refusal.ts';
import { editSignIn, rememberMe, resetSignIn, signInForm, submitSignIn } from './sign-in-store.ts';

/** §2 Sign-in dialog: for those who have an account. */
export function SignInForm() {
  const { identifier, password, isRemembered, problems, failure, isBusy } = useSnapshot(signInForm, { sync: true });
  useEffect(() => resetSignIn, []);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    await submitSignIn();
    focusOnRefusal(form);
  };
  return (
    <form className={styles.form} noValidate onSubmit={submit}>
      <TextField
        label="Username or Email"
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        value={identifier}
        problem={problems.identifier}
        onChange={(value) => editSignIn('identifier', value)}
      />
      <PasswordField
        label="Password"
        name="password"
        autoComplete="current-password"
        value={password}
        problem={problems.password}
        onChange={(value) => editSignIn('password', value)}
      />
      <div className={styles.check}>
        <CheckRow label="Remember me for 30 days" isOn={isRemembered} onChange={rememberMe} />
      </div>
      {failure && <Banner kind="danger" icon={<CircleAlert aria-hidden="true" />} sentence={failure} />}
      {/* It keeps the focus while it is busy; the store takes one try at a time. */}
      <Button label={isBusy ? 'Signing In...' : 'Sign In'} submits isBlock />
    </form>
  );
}
