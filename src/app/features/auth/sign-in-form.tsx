import { CircleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { Banner } from '#app/ui/banner.tsx';
import { Button } from '#app/ui/button.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { PasswordField } from '#app/ui/form/password-field.tsx';
import { TextField } from '#app/ui/form/text-field.tsx';
import { useForm } from '#app/ui/form/use-form.ts';
import styles from './auth-form.module.css';
import { rememberMe, resetSignIn, signInChoice, signInForm } from './sign-in-store.ts';

/** §2 Sign-in dialog: for those who have an account. */
export function SignInForm() {
  const { state, field, formProps } = useForm(signInForm);
  const { isRemembered } = useSnapshot(signInChoice, { sync: true });
  useEffect(() => resetSignIn, []);
  return (
    <form {...formProps} className={styles.form}>
      <TextField
        label="Username or Email"
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        {...field('identifier')}
      />
      <PasswordField label="Password" name="password" autoComplete="current-password" {...field('password')} />
      <div className={styles.check}>
        <CheckRow label="Remember me for 30 days" isOn={isRemembered} onChange={rememberMe} />
      </div>
      {state.refusal && <Banner kind="danger" icon={<CircleAlert aria-hidden="true" />} sentence={state.refusal} />}
      {/* Not disabled while busy, so that it keeps the focus: the form ignores a second submission. */}
      <Button label={state.isBusy ? 'Signing In...' : 'Sign In'} submits isBlock />
    </form>
  );
}
