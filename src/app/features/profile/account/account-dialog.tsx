import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { session } from '#app/state/session.ts';
import { PasswordField } from '#app/ui/form/password-field.tsx';
import { TextField } from '#app/ui/form/text-field.tsx';
import * as confirmations from '#contract/confirmations.ts';
import { limits } from '#contract/limits.ts';
import { deletionForm, displayNameForm, emailForm, forgetForms, openedForm, passwordForm, signingOutForm } from './account-forms.ts';
import { FormDialog } from './form-dialog.tsx';
import { ProofFields } from './proof-fields.tsx';
import { hasPassword } from './provider-proof-store.ts';

interface Props {
  onClose: () => void;
}

const forms = { 'display-name': DisplayName, email: Email, password: Password, deletion: Deletion, 'signing-out': SigningOut };

/** The form of Profile that was asked for. */
export default function AccountDialog({ onClose }: Props) {
  const AccountForm = forms[useSnapshot(openedForm).name];
  useEffect(() => forgetForms, []);
  return <AccountForm onClose={onClose} />;
}

function DisplayName({ onClose }: Props) {
  return (
    <FormDialog form={displayNameForm} title="Change Display Name" action="Save" busy="Saving..." onClose={onClose}>
      {(field) => <TextField label="Display name" isOptional autoComplete="nickname" hint="Shown in place of your username" {...field('display_name')} />}
    </FormDialog>
  );
}

function Email({ onClose }: Props) {
  return (
    <FormDialog form={emailForm} title="Change Email" action="Save" busy="Saving..." onClose={onClose}>
      {(field) => (
        <>
          <TextField label="Email" type="email" autoComplete="email" inputMode="email" autoCapitalize="none" {...field('email')} />
          <ProofFields label="Current password" field={field('current_password')} />
        </>
      )}
    </FormDialog>
  );
}

function Password({ onClose }: Props) {
  const title = hasPassword(useSnapshot(session)) ? 'Change Password' : 'Set Password';
  return (
    <FormDialog form={passwordForm} title={title} sentence="Your other devices will be signed out." action="Save" busy="Saving..." onClose={onClose}>
      {(field) => (
        <>
          <ProofFields label="Current password" field={field('current_password')} />
          <PasswordField
            label="New password"
            autoComplete="new-password"
            hint={`At least ${limits.passwordMinCharacters} characters`}
            {...field('new_password')}
          />
          <PasswordField label="Confirm new password" autoComplete="new-password" {...field('confirmation')} />
        </>
      )}
    </FormDialog>
  );
}

function Deletion({ onClose }: Props) {
  return (
    <FormDialog
      form={deletionForm}
      title="Delete Account"
      sentence={confirmations.deleteAccount}
      action="Delete Account"
      busy="Deleting..."
      isFinal
      onClose={onClose}
    >
      {(field) => <ProofFields label="Password" field={field('password')} />}
    </FormDialog>
  );
}

function SigningOut({ onClose }: Props) {
  return (
    <FormDialog
      form={signingOutForm}
      title="Sign Out Everywhere"
      sentence={confirmations.signOutEverywhere}
      action="Sign Out Everywhere"
      busy="Signing out..."
      isFinal
      onClose={onClose}
    />
  );
}
