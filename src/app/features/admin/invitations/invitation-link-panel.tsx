import { useEffect, useRef, useState } from 'react';
import type { Snapshot } from 'valtio';
import { focusOn } from '#app/platform/input/focus-scopes.ts';
import { copyTextOf, shareSheet } from '#app/platform/later-capabilities.ts';
import { Button } from '#app/ui/button.tsx';
import { Notice } from '#app/ui/card/notice.tsx';
import { QrCode } from '#app/ui/qr-code.tsx';
import { dayOf } from '#app/ui/time-text.ts';
import { tierBadges } from '#contract/rules/tiers.ts';
import shared from '../section.module.css';
import styles from './invitation-link-panel.module.css';
import type { InvitationMakerState } from './invitations-store.ts';
import { closeLink } from './invitations-store.ts';

interface Props {
  link: Snapshot<NonNullable<InvitationMakerState['link']>>;
}

const outcomes = {
  copied: { kind: 'ok', sentence: 'Link copied.' },
  'not-copied': { kind: 'danger', sentence: 'The link could not be copied. Select it and copy it yourself.' },
} as const;

/** A link that was just made: to scan, to copy or to share. */
export function InvitationLinkPanel({ link: { url, tier, expires_at } }: Props) {
  const [outcome, setOutcome] = useState<keyof typeof outcomes | null>(null);
  const address = useRef<HTMLParagraphElement>(null);
  const copyButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (copyButton.current) focusOn(copyButton.current);
  }, []);
  const copy = async () => {
    if (address.current) setOutcome((await copyTextOf(address.current)) ? 'copied' : 'not-copied');
  };
  const share = shareSheet();
  return (
    <div className={styles.panel}>
      <QrCode text={url} label="QR code of the invitation" className={styles.qr} />
      <div className={styles.words}>
        <p ref={address} className={styles.address}>
          {url}
        </p>
        <p className={styles.facts}>
          Works once, until {dayOf(expires_at)}. Plan: {tierBadges[tier]}. It is shown this once.
        </p>
        <div className={shared.buttons}>
          <Button ref={copyButton} kind="line" label="Copy link" onPress={() => void copy()} />
          {share && <Button kind="line" label="Share" onPress={() => void share({ url })} />}
          <Button kind="quiet" label="Done" onPress={closeLink} />
        </div>
        <Notice notice={outcome && outcomes[outcome]} />
      </div>
    </div>
  );
}
