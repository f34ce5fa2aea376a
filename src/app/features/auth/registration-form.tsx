import { CircleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { Banner } from '#app/ui/banner.tsx';
import { Button } from '#app/ui/button.tsx';
import { PasswordField } from '#app/ui/form/password-field.tsx';
import { TextField } from '#app/ui/form/text-field.tsx';
import { useForm } from '#app/ui/form/use-form.ts';
import styles from './auth-form.module.css';
import { openRegistration, registrationForm, resetRegistration, setupCodeField } from './registration-store.ts';

/** §2 Sign-in dialog: for those who want an account. */
export function RegistrationForm() {
  const { state, field, formProps } = useForm(registrationForm);
  const { isShown } = useSnapshot(setupCodeField, { sync: true });
  useEffect(() => {
    openRegistration();
    return resetRegistration;
  }, []);
  return (
    <form {...formProps} className={styles.form}>
      <TextField
        label="Username"
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        {...field('username')}
      />
      <TextField label="Email" name="email" type="email" autoComplete="email" {...field('email')} />
      <TextField
        label="Display name"
        name="display-name"
        autoComplete="nickname"
        isOptional
        {...field('display_name')}
      />
      <PasswordField label="Password" name="password" autoComplete="new-password" {...field('password')} />
      <PasswordField
        label="Confirm password"
        name="confirmation"
        autoComplete="new-password"
        {...field('confirmation')}
      />
      {isShown && (
        <TextField
          label="Set-up code"
          name="setup-code"
          autoComplete="off"
          autoCapitalize="characters"
          {...field('setup_code')}
        />
      )}
      {state.refusal && <Banner kind="danger" icon={<CircleAlert aria-hidden="true" />} sentence={state.refusal} />}
      {/* Not disabled while busy, so that it keeps the focus: the form ignores a second submission. */}
      <Button label={state.isBusy ? 'Creating Account...' : 'Create Account'} submits isBlock />
    </form>
  );
}
