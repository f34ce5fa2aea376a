import { CircleAlert, CircleCheck } from 'lucide-react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { outbox } from '#app/state/outbox/outbox-state.ts';
import { providers } from '#app/state/providers.ts';
import { onUserChange, session } from '#app/state/session.ts';
import { needsDevice, uploads } from '#app/state/uploads/uploads-state.ts';
import { Button } from '#app/ui/button.tsx';
import { FormDialog } from '#app/ui/dialogs.tsx';
import { PasswordField, TextField } from '#app/ui/form/text-field.tsx';
import { Banner } from '#app/ui/messages.tsx';
import { confirmations } from '#contract/confirmations.ts';
import { limits } from '#contract/limits.ts';
import { notices } from '#contract/notices.ts';
import styles from './account-dialog.module.css';
import {
  clearForms,
  deletionForm,
  displayNameForm,
  emailForm,
  hasPassword,
  openedForm,
  passwordForm,
  proveByProvider,
  providerProof,
  signingOutForm,
} from './account-forms.ts';
import { identities } from './sign-ins-store.ts';

interface Props {
  onClose: () => void;
}

interface FormProps extends Props {
  isOffline: boolean;
}

const forms = {
  'display-name': DisplayName,
  email: Email,
  password: Password,
  deletion: Deletion,
  'signing-out': SigningOut,
};

/** The account form that was opened in Profile. It closes with the session of whoever opened it. */
export default function AccountDialog({ onClose }: Props) {
  const AccountForm = forms[useSnapshot(openedForm).name];
  const { isReachable } = useSnapshot(connection);
  useEffect(() => clearForms, []);
  useEffect(() => onUserChange(onClose), [onClose]);
  return <AccountForm onClose={onClose} isOffline={!isReachable} />;
}

function DisplayName(props: FormProps) {
  return (
    <FormDialog form={displayNameForm} title="Change Display Name" action="Save" busy="Saving..." {...props}>
      {(field) => (
        <TextField
          label="Display name"
          isOptional
          autoComplete="nickname"
          hint="Shown in place of your username"
          {...field('display_name')}
        />
      )}
    </FormDialog>
  );
}

function Email(props: FormProps) {
  return (
    <FormDialog form={emailForm} title="Change Email" action="Save" busy="Saving..." {...props}>
      {(field) => (
        <>
          <TextField
            label="Email"
            type="email"
            autoComplete="email"
            inputMode="email"
            autoCapitalize="none"
            {...field('email')}
          />
          <ProofFields label="Current password" field={field('current_password')} />
        </>
      )}
    </FormDialog>
  );
}

function Password(props: FormProps) {
  const title = hasPassword(useSnapshot(session)) ? 'Change Password' : 'Set Password';
  return (
    <FormDialog
      form={passwordForm}
      title={title}
      sentence="Your other devices will be signed out."
      action="Save"
      busy="Saving..."
      {...props}
    >
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

function Deletion(props: FormProps) {
  const { entries } = useSnapshot(outbox);
  const hasUploads = useSnapshot(uploads).rows.some(needsDevice);
  return (
    <FormDialog
      form={deletionForm}
      title="Delete Account"
      sentence={confirmations.deleteAccount}
      action="Delete Account"
      busy="Deleting..."
      isFinal
      {...props}
    >
      {(field) => (
        <>
          {hasUploads && <p>{notices.uploadsEndWithAccount}</p>}
          {entries.length > 0 && <p>{notices.changesEndWithAccount}</p>}
          <ProofFields label="Password" field={field('password')} />
        </>
      )}
    </FormDialog>
  );
}

function SigningOut(props: FormProps) {
  return (
    <FormDialog
      form={signingOutForm}
      title="Sign Out Everywhere"
      sentence={confirmations.signOutEverywhere}
      action="Sign Out Everywhere"
      busy="Signing out..."
      isFinal
      {...props}
    />
  );
}

interface ProofFieldsProps {
  label: string;
  field: { value: string; problem: string | null | undefined; onChange: (value: string) => void };
}

/**
 * Confirms the user's identity before the account changes: the current password, or, without one, a
 * sign-in at a linked provider.
 */
function ProofFields({ label, field }: ProofFieldsProps) {
  return hasPassword(useSnapshot(session)) ? (
    <PasswordField label={label} autoComplete="current-password" {...field} />
  ) : (
    <ProviderProof />
  );
}

function ProviderProof() {
  const { isGiven } = useSnapshot(providerProof);
  const { list, waitingFor, failure } = useSnapshot(providers);
  const { linked } = useSnapshot(identities);
  if (isGiven) return <Banner kind="ok" icon={<CircleCheck aria-hidden="true" />} sentence={notices.proofGiven} />;
  return (
    <div className={styles.proof}>
      <p>{notices.proofNeeded}</p>
      {failure && <Banner kind="danger" icon={<CircleAlert aria-hidden="true" />} sentence={failure} />}
      {list
        .filter(({ name }) => linked?.some(({ provider }) => provider === name))
        .map((provider) => (
          <Button
            key={provider.name}
            kind="line"
            isBlock
            label={waitingFor === provider.name ? 'Confirming...' : `Confirm with ${provider.display_name}`}
            isDisabled={waitingFor !== null}
            onPress={() => proveByProvider(provider)}
          />
        ))}
    </div>
  );
}
