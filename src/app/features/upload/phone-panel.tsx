import { Card } from '#app/ui/card.tsx';
import { QrCode } from '#app/ui/qr-code.tsx';
import styles from './add-panel.module.css';

/** Tells users of a TV, which has no files to choose, how to send videos from a phone. */
export function PhonePanel() {
  const address = phoneAddress(window.location);
  return (
    <Card title="Send from a phone">
      <p className={styles.words}>
        {address === null
          ? 'Open this site on a phone, sign in, and choose Upload.'
          : 'Scan this with a phone, sign in there, and add your videos.'}
      </p>
      {address !== null && (
        <>
          <QrCode text={address} label={`QR code for ${address}`} className={styles.code} />
          <p className={styles.address}>
            <bdi>{address}</bdi>
          </p>
        </>
      )}
    </Card>
  );
}

/** The URL of this page for a phone; null when only this machine can open it. */
function phoneAddress({ origin, hostname }: Location): string | null {
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
  return isLocal ? null : `${origin}/?view=upload`;
}
