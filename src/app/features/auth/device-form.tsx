import type { FormEvent } from 'react';
import { useSnapshot } from 'valtio';
import { Button } from '#app/ui/button.tsx';
import { TextField } from '#app/ui/text-field.tsx';
import styles from './auth-form.module.css';
import { approve, deviceApproval, editUserCode } from './device-approval-store.ts';
import { focusOnRefusal } from './focus-on-refusal.ts';

export function DeviceForm() {
  const { userCode, problem, isBusy } = useSnapshot(deviceApproval, { sync: true });
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    await approve();
    focusOnRefusal(form);
  };
  return (
    <form className={styles.form} noValidate onSubmit={submit}>
      <TextField
        label="Code on the TV"
        name="user-code"
        autoComplete="off"
        autoCapitalize="characters"
        value={userCode}
        problem={problem}
        onChange={editUserCode}
      />
      <Button label={isBusy ? 'Signing In...' : 'Sign In'} submits isBlock />
    </form>
  );
}
