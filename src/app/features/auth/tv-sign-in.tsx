import { Suspense } from 'react';
import { Button } from '#app/ui/button.tsx';
import { lazyPart } from '#app/ui/loading/lazy-part.tsx';
import styles from './tv-sign-in.module.css';

const DeviceCodePanel = lazyPart(async () => (await import('./device-code-panel.tsx')).DeviceCodePanel, Nothing);

/** A code for another device, and a button to the form. */
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

/** The panel's file could not be loaded: the button to the form is enough. */
function Nothing() {
  return null;
}
