import { Card } from '#app/ui/card/card.tsx';
import { QrCode } from '#app/ui/qr-code.tsx';
import shared from '../section.module.css';
import styles from './about-section.module.css';
import { phoneAddress } from './about-words.ts';

/** Where the site is opened. */
export function AddressCard({ addresses }: { addresses: readonly string[] }) {
  const forPhone = phoneAddress(addresses);
  return (
    <Card title="Addresses">
      {addresses.length === 0 ? (
        <p className={shared.quiet}>The site does not know its addresses.</p>
      ) : (
        <ul className={shared.lines}>
          {addresses.map((address) => (
            <li key={address} className={shared.path}>
              <bdi>{address}</bdi>
            </li>
          ))}
        </ul>
      )}
      {forPhone !== null && (
        <>
          <QrCode text={forPhone} label={`QR code for ${forPhone}`} className={styles.qr} />
          <p className={shared.quiet}>Scan it to open the site on a phone.</p>
        </>
      )}
    </Card>
  );
}
