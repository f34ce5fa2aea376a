import type { Snapshot } from 'valtio';
import { openView } from '#app/state/navigation.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { PasswordField } from '#app/ui/form/password-field.tsx';
import { limits } from '#contract/limits.ts';
import styles from './password-card.module.css';
import type { Person } from './people-store.ts';
import { PersonForm } from './person-form.tsx';
import { newPasswordForm } from './person-forms.ts';
import { isOwn } from './person-store.ts';

/** For somebody who forgot theirs. One's own is changed in Profile, which asks for the present one. */
export function PasswordCard({ user }: { user: Snapshot<Person> }) {
  if (isOwn(user)) {
    return (
      <Card title="Password">
        <p className={styles.words}>You change your own password in Profile.</p>
        <Button kind="tonal" label="Profile" onPress={() => openView('profile')} />
      </Card>
    );
  }
  return (
    <PersonForm form={newPasswordForm} card="password" title="New Password" action="Set Password" busy="Saving...">
      {(field) => (
        <>
          <p className={styles.words}>They are signed out everywhere, and sign in with the new one.</p>
          <PasswordField
            label="New password"
            autoComplete="new-password"
            hint={`At least ${limits.passwordMinCharacters} characters`}
            {...field('new_password')}
          />
        </>
      )}
    </PersonForm>
  );
}
