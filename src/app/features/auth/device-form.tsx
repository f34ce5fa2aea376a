import type { FormEvent } from 'react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { navigation } from '#app/state/navigation.ts';
import { Button } from '#app/ui/button.tsx';
import { TextField } from '#app/ui/form/text-field.tsx';
import styles from './auth-form.module.css';
import { deviceApproval, editUserCode, lookUpDevice } from './device-approval-store.ts';
import { focusOnRefusal } from './focus-on-refusal.ts';

/** Where the code is typed; one that was scanned stands there already. */
export function DeviceForm() {
  const { userCode, problem, isBusy } = useSnapshot(deviceApproval, { sync: true });
  useEffect(() => {
    if (navigation.deviceCode !== null && deviceApproval.userCode === '') editUserCode(navigation.deviceCode);
  }, []);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    await lookUpDevice();
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
      <Button label={isBusy ? 'Looking...' : 'Continue'} submits isBlock />
    </form>
  );
}
