import { CircleAlert } from 'lucide-react';
import type { RefObject } from 'react';
import { Suspense, useEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { focusStart } from '#app/platform/input/focus-scopes.ts';
import { recovered } from '#app/platform/link.ts';
import { signInWith } from '#app/state/account.ts';
import { connection } from '#app/state/connection.ts';
import { closeSignIn } from '#app/state/navigation.ts';
import { cancelVisit, loadMissingProviders, loadProviders, providers, visitProvider } from '#app/state/providers.ts';
import { Button } from '#app/ui/button.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { createForm, useForm } from '#app/ui/form/form.ts';
import { PasswordField, TextField } from '#app/ui/form/text-field.tsx';
import { lazyPart } from '#app/ui/loading.tsx';
import { Banner } from '#app/ui/messages.tsx';
import { signIn } from '#contract/endpoints.ts';
import { checkSignIn } from '#contract/rules/credentials.ts';
import shared from './auth-form.module.css';
import styles from './sign-in-form.module.css';

/** §2 Sign-in dialog: signs in with an existing account. */
export function SignInForm() {
  const { state, field, formProps } = useForm(signInForm);
  const { isRemembered } = useSnapshot(signInChoice, { sync: true });
  useEffect(() => resetSignIn, []);
  return (
    <form {...formProps} className={shared.form}>
      <TextField
        label="Username or Email"
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        {...field('identifier')}
      />
      <PasswordField label="Password" name="password" autoComplete="current-password" {...field('password')} />
      <div className={shared.check}>
        <CheckRow label="Remember me for 30 days" isOn={isRemembered} onChange={rememberMe} />
      </div>
      {state.refusal && <Banner kind="danger" icon={<CircleAlert aria-hidden="true" />} sentence={state.refusal} />}
      {/* Enabled while busy to keep the focus. The form ignores a second submission. */}
      <Button label={state.isBusy ? 'Signing In...' : 'Sign In'} submits isBlock />
      <ConnectionNeeded />
    </form>
  );
}

/** Says below a form that it cannot be sent now. The form stays enabled, to keep the focus. */
export function ConnectionNeeded() {
  const { isReachable } = useSnapshot(connection);
  return isReachable ? null : (
    <p role="status" className={shared.needs}>
      Needs a connection
    </p>
  );
}

/** Whether the session lasts 30 days ('Remember me for 30 days'). */
const signInChoice = proxy({ isRemembered: false });

/** §5 Sign in. Success closes the dialog. */
export const signInForm = createForm({
  empty: { identifier: '', password: '' },
  check: checkSignIn,
  send: async ({ identifier, password }, signal) => {
    const body = { identifier: identifier.trim(), password, rememberMe: signInChoice.isRemembered };
    signInWith(await call(signIn, { body, signal, quiet: true }));
    closeSignIn();
  },
  staysBusy: true,
});

export function rememberMe(isRemembered: boolean): void {
  signInChoice.isRemembered = isRemembered;
}

/** Clears what was typed and cancels a sign-in under way. */
export function resetSignIn(): void {
  signInForm.reset();
  signInChoice.isRemembered = false;
}

const DeviceCodePanel = lazyPart(async () => (await import('./device-code-panel.tsx')).DeviceCodePanel, CodeMissing);

/** A code for another device, and a button that opens the form. */
export function TvSignIn({ onTyping }: { onTyping: () => void }) {
  return (
    <>
      <div className={styles.code}>
        <Suspense fallback={null}>
          <DeviceCodePanel />
        </Suspense>
      </div>
      <Button kind="line" label="Use a password" isBlock onPress={onTyping} />
    </>
  );
}

/** Shown when the code of the panel could not be loaded. */
function CodeMissing() {
  const { isReachable } = useSnapshot(connection);
  return <p role="status">{isReachable ? 'The code could not be loaded.' : 'Needs a connection'}</p>;
}

/** Sign-in with providers, where the operator has configured any (§2 Sign-in dialog). */
export function ProviderButtons() {
  const { list, waitingFor, failure } = useSnapshot(providers);
  useEffect(() => {
    void loadProviders();
    return cancelVisit;
  }, []);
  useEffect(() => recovered.listen(() => void loadMissingProviders()), []);
  if (list.length === 0 && failure === null) return null;
  return (
    <div className={styles.providers}>
      <p className={styles.heading}>or continue with</p>
      {failure && <Banner kind="danger" icon={<CircleAlert aria-hidden="true" />} sentence={failure} />}
      {list.map((provider) => (
        <Button
          key={provider.name}
          kind="line"
          label={`Continue with ${provider.display_name}`}
          isBlock
          isDisabled={waitingFor !== null}
          onPress={() => visitProvider(provider)}
        />
      ))}
    </div>
  );
}

interface Props {
  isRegistering: boolean;
  onSwitch: () => void;
}

/** Switches between sign-in and registration. */
export function ModeSwitch({ isRegistering, onSwitch }: Props) {
  return (
    <p className={styles.line}>
      {isRegistering ? 'Already have an account?' : 'New here?'}
      <button type="button" className={styles.link} onClick={onSwitch}>
        {isRegistering ? 'Sign In' : 'Create Account'}
      </button>
    </p>
  );
}

/**
 * Moves the focus to the start of the dialog when its content changes, because the pressed button
 * is gone.
 */
export function useFocusOnChange(face: string): RefObject<HTMLDivElement | null> {
  const content = useRef<HTMLDivElement>(null);
  const shown = useRef(face);
  useEffect(() => {
    if (shown.current !== face && content.current) focusStart(content.current);
    shown.current = face;
  }, [face]);
  return content;
}
