import { useEffect, useRef } from 'react';
import { Button } from '#app/ui/button.tsx';
import styles from './sign-in-dialog.module.css';

/** Opens when the session has ended. */
export default function SignInDialog({ onClose }: { onClose: () => void }) {
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => close.current?.focus(), []);
  return (
    <div className={styles.scrim}>
      <div className={styles.dialog} role="alertdialog" aria-modal="true" aria-labelledby="sign-in-title" aria-describedby="sign-in-reason">
        <h2 id="sign-in-title">Sign In</h2>
        <p id="sign-in-reason">Your session has ended. This part is being built.</p>
        <Button ref={close} label="Close" onPress={onClose} />
      </div>
    </div>
  );
}
