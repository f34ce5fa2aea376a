import { CircleAlert, MailOpen } from 'lucide-react';
import { useEffect } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { HttpError } from '#app/platform/http/send.ts';
import { recovered } from '#app/platform/link.ts';
import { signInWith } from '#app/state/account.ts';
import { closeSignIn, forgetCodes, navigation } from '#app/state/navigation.ts';
import { Button } from '#app/ui/button.tsx';
import { createForm, readProblems, useForm } from '#app/ui/form/form.ts';
import { PasswordField, TextField } from '#app/ui/form/text-field.tsx';
import { Banner } from '#app/ui/messages.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { nameOf } from '#app/ui/texts.ts';
import { openInvitation, register } from '#contract/endpoints.ts';
import type { InvitationOffer as OfferedPlan } from '#contract/entities/account.ts';
import type { User } from '#contract/entities/user.ts';
import { failures } from '#contract/failures.ts';
import { checkRegistration, toRegistration } from '#contract/rules/credentials.ts';
import { tierBadges } from '#contract/rules/plans.ts';
import styles from './auth-form.module.css';
import { ConnectionNeeded } from './sign-in-form.tsx';

/** §2 Sign-in dialog: creates an account. */
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
      {/* Enabled while busy to keep the focus. The form ignores a second submission. */}
      <Button label={state.isBusy ? 'Creating Account...' : 'Create Account'} submits isBlock />
      <ConnectionNeeded />
    </form>
  );
}

/**
 * Whether the form shows the set-up code of the first account: the server has asked for it, or the
 * address contains it.
 */
export const setupCodeField = proxy({ isShown: false });

/** §5 Registration. Success closes the dialog. */
export const registrationForm = createForm({
  empty: { username: '', email: '', display_name: '', password: '', confirmation: '', setup_code: '' },
  check: ({ display_name, ...values }) => {
    const { displayName, ...problems } = checkRegistration({ ...values, displayName: display_name });
    return { ...problems, display_name: displayName ?? null };
  },
  send: async ({ display_name, setup_code, ...values }, signal) => {
    const setupCode = setup_code.trim();
    const { invitation } = navigation;
    const body = {
      ...toRegistration({ ...values, displayName: display_name }),
      ...(setupCode && { setup_code: setupCode }),
      ...(invitation && { invitation }),
    };
    signInWith(await call(register, { body, signal, quiet: true }));
    closeSignIn();
  },
  toProblems: (error) => {
    const problems = readProblems(error);
    if (problems.setup_code) setupCodeField.isShown = true;
    if (isInvalid(error)) refuse(error);
    return problems;
  },
  staysBusy: true,
});

/** An empty form, with the set-up code from the address. */
function openRegistration(): void {
  const { setupCode } = navigation;
  registrationForm.reset({ setup_code: setupCode ?? '' });
  setupCodeField.isShown = setupCode !== null;
}

/** Clears what was typed and cancels a registration under way. */
export function resetRegistration(): void {
  registrationForm.reset();
  setupCodeField.isShown = false;
}

/** The plan that the invitation in the address gives, or why it is not valid. */
export function InvitationBanner() {
  const { offer, refusal, isRetryable } = useSnapshot(invitation);
  useEffect(() => {
    void loadInvitation();
    return resetInvitation;
  }, []);
  useEffect(() => recovered.listen(() => void retryInvitation()), []);
  if (refusal !== null) {
    return (
      <Banner
        kind="danger"
        icon={<CircleAlert aria-hidden="true" />}
        sentence={refusal}
        {...(isRetryable ? { action: { label: 'Retry', onPress: () => void retryInvitation() } } : {})}
      />
    );
  }
  const sentence = offer ? `You are invited. Your plan: ${tierBadges[offer.tier]}.` : 'Checking your invitation...';
  return <Banner kind="info" icon={<MailOpen aria-hidden="true" />} sentence={sentence} />;
}

interface InvitationState {
  /** The plan of the invitation in the address, or null before the reply. */
  offer: OfferedPlan | null;
  /** Why the invitation is not valid or could not be checked. */
  refusal: string | null;
  /** Whether a retry could succeed. */
  isRetryable: boolean;
}

const unknown = { offer: null, refusal: null, isRetryable: false };

export const invitation = proxy<InvitationState>({ ...unknown });

let turn = 0;

/**
 * Looks up the invitation in the address. The reply also sets a cookie, which makes the invitation
 * count for a sign-in with a provider. An invitation that is no longer valid is forgotten.
 */
export async function loadInvitation(): Promise<void> {
  const token = navigation.invitation;
  if (token === null) return;
  turn += 1;
  const own = turn;
  Object.assign(invitation, unknown);
  try {
    const offer = await call(openInvitation, { body: { invitation: token }, quiet: true });
    if (own === turn) invitation.offer = offer;
  } catch (error) {
    if (own === turn) refuse(error);
  }
}

/** Repeats the look-up if a retry could succeed. */
export async function retryInvitation(): Promise<void> {
  if (invitation.isRetryable) await loadInvitation();
}

export function resetInvitation(): void {
  turn += 1;
  Object.assign(invitation, unknown);
}

/** Whether the invitation was used or revoked, or has expired. */
function isInvalid(error: unknown): boolean {
  return error instanceof HttpError && error.code === 'invitation_invalid';
}

function refuse(error: unknown): void {
  const isRetryable = !isInvalid(error);
  const refusal = error instanceof HttpError ? error.message : failures.connection;
  Object.assign(invitation, { offer: null, refusal, isRetryable });
  if (!isRetryable) forgetCodes();
}

interface Props {
  user: Snapshot<User>;
  onClose: () => void;
}

/** Tells a signed-in user that the invitation was not used and remains valid for another person. */
export function InvitedAlready({ user, onClose }: Props) {
  return (
    <Modal
      title="Invitation"
      sentence={
        <>
          You are signed in as <bdi>{nameOf(user)}</bdi> already. The invitation was not used: it is for somebody
          without an account.
        </>
      }
      size="small"
      onClose={onClose}
    >
      <Button label="Close" isBlock onPress={onClose} />
    </Modal>
  );
}
