import { useEffect } from 'react';
import { navigation } from '#app/state/navigation.ts';
import { Button } from '#app/ui/button.tsx';
import { TextField } from '#app/ui/form/text-field.tsx';
import { useForm } from '#app/ui/form/use-form.ts';
import styles from './auth-form.module.css';
import { editUserCode, userCodeForm } from './device-approval-store.ts';

/** Where the code is typed; a scanned one is filled in. */
export function DeviceForm() {
  const { state, field, formProps } = useForm(userCodeForm);
  useEffect(() => {
    if (navigation.deviceCode !== null && userCodeForm.state.values.user_code === '')
      editUserCode(navigation.deviceCode);
  }, []);
  return (
    <form {...formProps} className={styles.form}>
      <TextField
        label="Code on the TV"
        name="user-code"
        autoComplete="off"
        autoCapitalize="characters"
        {...field('user_code')}
        onChange={editUserCode}
      />
      <Button label={state.isBusy ? 'Looking...' : 'Continue'} submits isBlock />
    </form>
  );
}
