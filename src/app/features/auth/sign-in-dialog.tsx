import { useState } from 'react';
import { useSnapshot } from 'valtio';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { navigation } from '#app/state/navigation.ts';
import { session } from '#app/state/session.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { Modal } from '#app/ui/modal.tsx';
import { failures } from '#contract/failures.ts';
import { InvitationBanner, InvitedAlready, RegistrationForm } from './registration-form.tsx';
import styles from './sign-in-dialog.module.css';
import { ModeSwitch, ProviderButtons, SignInForm, TvSignIn, useFocusOnChange } from './sign-in-form.tsx';

interface Props {
  mode: 'sign-in' | 'register' | 'session-ended';
  onClose: () => void;
}

type Face = 'code' | 'sign-in' | 'registration';

/**
 * §2 Sign-in dialog: two modes that switch into each other. On a TV a code for another device comes
 * first, because typing with a remote is slow.
 */
export default function SignInDialog({ mode, onClose }: Props) {
  const codes = useSnapshot(navigation);
  const { phase, user } = useSnapshot(session);
  /** Stays true when the invitation turns out to be invalid, so that the dialog can say so. */
  const [isInvited] = useState(codes.invitation !== null);
  const isRegistrationOpen =
    useSnapshot(siteConfig).isRegistrationOpen || codes.setupCode !== null || codes.invitation !== null;
  const [chosen, setFace] = useState<Face>(
    mode === 'register' ? 'registration' : currentForm() === 'tv' ? 'code' : 'sign-in',
  );
  const face = chosen === 'registration' && !isRegistrationOpen ? 'sign-in' : chosen;
  const isRegistering = face === 'registration';
  const content = useFocusOnChange(face);
  if (isInvited && phase === 'loading') return null;
  if (isInvited && user) return <InvitedAlready user={user} onClose={onClose} />;
  return (
    <Modal
      title={isRegistering ? 'Create Account' : 'Sign In'}
      {...(mode === 'session-ended' && !isRegistering ? { sentence: failures.sessionEnded } : {})}
      size="small"
      onClose={onClose}
    >
      <div ref={content} className={styles.content}>
        {isInvited && <InvitationBanner />}
        {face === 'code' && <TvSignIn onTyping={() => setFace('sign-in')} />}
        {face === 'sign-in' && <SignInForm />}
        {isRegistering && <RegistrationForm />}
        {(face === 'sign-in' || (isRegistering && isInvited)) && <ProviderButtons />}
        {face !== 'code' && isRegistrationOpen && (
          <ModeSwitch
            isRegistering={isRegistering}
            onSwitch={() => setFace(isRegistering ? 'sign-in' : 'registration')}
          />
        )}
      </div>
    </Modal>
  );
}
