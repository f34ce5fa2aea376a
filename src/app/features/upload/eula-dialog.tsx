import { CircleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { Banner } from '#app/ui/banner.tsx';
import { Bar } from '#app/ui/bar.tsx';
import { Button } from '#app/ui/button.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { loadMarkdown, Markdown } from '#app/ui/markdown.tsx';
import { Modal, useBackLayer } from '#app/ui/modal.tsx';
import { resourceFace } from '#app/ui/resource.ts';
import { limits } from '#contract/limits.ts';
import { canAccept } from '#contract/rules/upload-file.ts';
import { closeEula } from './access-store.ts';
import styles from './eula-dialog.module.css';
import {
  acceptAgreement,
  declineAgreement,
  dismissEulaFailure,
  eula,
  eulaText,
  eulaTitle,
  openEulaText,
  recordReading,
  tickEula,
} from './eula-store.ts';

/** The agreement, which has to be read to its end, ticked and accepted (§2 EULA modal). */
export function EulaDialog() {
  useBackLayer(closeEula);
  useEffect(openEulaText, []);
  return (
    <Modal title={eulaTitle} size="text" onClose={closeEula} foot={<Foot />}>
      <p className={styles.version}>{`Version ${limits.eulaVersion}`}</p>
      <EulaText />
    </Modal>
  );
}

function Foot() {
  const { isReadToEnd, isTicked, isAccepting, failure } = useSnapshot(eula);
  return (
    <>
      {failure !== null && (
        <Banner
          kind="danger"
          icon={<CircleAlert aria-hidden="true" />}
          sentence={failure}
          onDismiss={dismissEulaFailure}
        />
      )}
      <div className={styles.agree}>
        <CheckRow
          label="I have read and understood the terms and conditions"
          isOn={isTicked}
          isDisabled={!isReadToEnd}
          onChange={tickEula}
        />
      </div>
      <div className={styles.buttons}>
        <Button kind="line" label="Decline" onPress={declineAgreement} />
        <Button
          label={isReadToEnd ? (isAccepting ? 'Accepting...' : 'Accept') : 'Scroll to Bottom to Accept'}
          isDisabled={isAccepting || !canAccept({ isReadToEnd, isTicked })}
          onPress={() => void acceptAgreement()}
        />
      </div>
    </>
  );
}

/** The text, which scrolls by pointer, finger, keys and remote, and the reading progress. */
function EulaText() {
  const { share } = useSnapshot(eula);
  const text = useSnapshot(eulaText.state);
  const box = useRef<HTMLDivElement>(null);
  // A placeholder that fits must not count as a text that was read.
  const isDrawn = useRef(false);
  const measure = () => {
    if (isDrawn.current && box.current) recordReading(box.current);
  };
  const measureText = () => {
    isDrawn.current = true;
    measure();
  };
  useEffect(() => void loadMarkdown(), []);
  useEffect(() => {
    window.addEventListener('resize', measure);
    return () => window.removeEventListener('resize', measure);
  });
  const waiting = <Skeleton className={styles.waiting} />;
  return (
    <>
      <div className={styles.reading}>
        <Bar share={share} />
      </div>
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: it scrolls by keys */}
      <div
        ref={box}
        className={styles.text}
        role="document"
        aria-label={eulaTitle}
        tabIndex={0}
        data-focus-first
        onScroll={measure}
        // An arrow at the end may precede the event of the scroll that came there.
        onKeyDown={measure}
      >
        {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: as above */}
        <ListBody
          face={resourceFace(text)}
          failure={text.failure}
          onRetry={() => void eulaText.reload()}
          skeleton={waiting}
          empty={null}
        >
          <Markdown text={text.value ?? ''} onDraw={measureText} loading={waiting} />
        </ListBody>
      </div>
    </>
  );
}
