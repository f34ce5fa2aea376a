import { Suspense } from 'react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import { lazyPart } from '#app/ui/loading/lazy-part.tsx';
import styles from './tv-sign-in.module.css';

const DeviceCodePanel = lazyPart(async () => (await import('./device-code-panel.tsx')).DeviceCodePanel, CodeMissing);

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

/** The panel's file could not be loaded. */
function CodeMissing() {
  const { isReachable } = useSnapshot(connection);
  return <p role="status">{isReachable ? 'The code could not be loaded.' : 'Needs a connection'}</p>;
}
