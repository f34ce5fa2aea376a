import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { SquaresLoader } from '#app/ui/loading/squares-loader.tsx';
import { QrCode } from '#app/ui/qr-code.tsx';
import styles from './device-code-panel.module.css';
import { deviceCode, startDeviceCode } from './device-code-store.ts';

/** §4 Auth: the QR code that another device scans, and the code to enter there. */
export function DeviceCodePanel() {
  const { shown, hasFailed } = useSnapshot(deviceCode);
  useEffect(startDeviceCode, []);
  if (!shown) {
    return (
      <p className={styles.wait} role="status">
        <SquaresLoader className={styles.loader} />
        {hasFailed ? 'No code can be had now. Trying again...' : 'Loading...'}
      </p>
    );
  }
  const { site, userCode } = shown;
  return (
    <div className={styles.panel}>
      {site && <QrCode text={site.address} label={`QR code for ${site.name}`} className={styles.qr} />}
      <div>
        <p className={styles.way}>
          {site ? (
            <>
              Scan this with your phone, or open <strong>{site.name}</strong> on another device, sign in there,
            </>
          ) : (
            'Open Fourfold on another device, sign in there,'
          )}{' '}
          and enter this code under 'Sign in a TV' in Profile:
        </p>
        <p className={styles.code}>{userCode}</p>
      </div>
    </div>
  );
}
