import { CircleAlert } from 'lucide-react';
import type { FormEvent } from 'react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { Banner } from '#app/ui/banner.tsx';
import { Button } from '#app/ui/button.tsx';
import { PasswordField } from '#app/ui/form/password-field.tsx';
import { TextField } from '#app/ui/form/text-field.tsx';
import styles from './auth-form.module.css';
import { focusOnRefusal } from './focus-on-refusal.ts';
import type { RegistrationField } from './registration-store.ts';
import { editRegistration, openRegistration, registrationForm, resetRegistration, submitRegistration } from './registration-store.ts';

/** §2 Sign-in dialog: for those who want an account. */
export function RegistrationForm() {
  const values = useSnapshot(registrationForm, { sync: true });
  useEffect(() => {
    openRegistration();
    return resetRegistration;
  }, []);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    await submitRegistration();
    focusOnRefusal(form);
  };
  const field = (name: RegistrationField) => ({
    value: values[name],
    problem: values.problems[name],
    onChange: (value: string) => editRegistration(name, value),
  });
  return (
    <form className={styles.form} noValidate onSubmit={submit}>
      <TextField label="Username" name="username" autoComplete="username" autoCapitalize="none" {...field('username')} />
      <TextField label="Email" name="email" type="email" autoComplete="email" {...field('email')} />
      <TextField label="Display name" name="display-name" autoComplete="nickname" isOptional {...field('displayName')} />
      <PasswordField label="Password" name="password" autoComplete="new-password" {...field('password')} />
      <PasswordField label="Confirm password" name="confirmation" autoComplete="new-password" {...field('confirmation')} />
      {values.needsSetupCode && <TextField label="Set-up code" name="setup-code" autoComplete="off" autoCapitalize="characters" {...field('setupCode')} />}
      {values.failure && <Banner kind="danger" icon={<CircleAlert aria-hidden="true" />} sentence={values.failure} />}
      {/* It keeps the focus while it is busy; the store takes one try at a time. */}
      <Button label={values.isBusy ? 'Creating Account...' : 'Create Account'} submits isBlock />
    </form>
  );
}
