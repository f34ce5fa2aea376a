import { CircleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { readText } from '#app/platform/http/download.ts';
import { connection } from '#app/state/connection.ts';
import { watchViewer } from '#app/state/viewer-cache.ts';
import { Bar } from '#app/ui/bar.tsx';
import { Button } from '#app/ui/button.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { lateTeller } from '#app/ui/form/form.ts';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { loadMarkdown, Markdown } from '#app/ui/markdown.tsx';
import { Banner } from '#app/ui/messages.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { Resource, resourceFace } from '#app/ui/resource.ts';
import { useBackLayer } from '#app/ui/store-hooks.ts';
import { acceptEula, readEula } from '#contract/endpoints.ts';
import { failures } from '#contract/failures.ts';
import { notices } from '#contract/notices.ts';
import type { ScrollFacts } from '#contract/rules/upload-file.ts';
import { canAccept, isReadToEnd } from '#contract/rules/upload-file.ts';
import { closeEula, confirmEula, readEulaVersion, uploadAccess } from './access-store.ts';
import styles from './eula-dialog.module.css';
import { showAlert } from './upload-store.ts';

/** The agreement, which has to be read to its end, ticked and accepted (§2 EULA modal). */
export function EulaDialog() {
  useBackLayer(closeEula);
  useEffect(openEulaText, []);
  const { eulaVersion } = useSnapshot(uploadAccess);
  return (
    <Modal title={eulaTitle} size="text" onClose={closeEula} foot={<Foot />}>
      {eulaVersion !== null && <p className={styles.version}>{`Version ${eulaVersion}`}</p>}
      <EulaText />
    </Modal>
  );
}

function Foot() {
  const { isReadToEnd, isTicked, isAccepting, failure } = useSnapshot(eula);
  const { isReachable } = useSnapshot(connection);
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
      {!isReachable && <p className={styles.version}>Needs a connection</p>}
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

interface EulaState {
  /** The reading progress, 0 to 1. */
  share: number;
  isReadToEnd: boolean;
  isTicked: boolean;
  isAccepting: boolean;
  failure: string | null;
}

const eulaTitle = 'End-User License Agreement';

const unread: EulaState = { share: 0, isReadToEnd: false, isTicked: false, isAccepting: false, failure: null };

const eula = proxy<EulaState>({ ...unread });

/** The agreement as Markdown, without its title, which the dialog shows. */
const eulaText = new Resource<string>({
  load: async () => (await readText(readEula)).replace(/^\s*#\s[^\n]*\n/, ''),
  toSentence: failures.loadEula,
});

/** Loads the text. Returns a function that closes it, and forgets the progress and the tick. */
function openEulaText(): () => void {
  const close = eulaText.open();
  return () => {
    close();
    Object.assign(eula, unread);
  };
}

/**
 * Records the reading progress. The end counts once it was reached, even if the text is scrolled
 * back; a text that fits counts as read.
 */
function recordReading(facts: ScrollFacts): void {
  const way = facts.scrollHeight - facts.clientHeight;
  eula.share = way <= 0 ? 1 : Math.min(1, facts.scrollTop / way);
  eula.isReadToEnd ||= isReadToEnd(facts);
}

function tickEula(isTicked: boolean): void {
  eula.isTicked = isTicked;
}

async function acceptAgreement(): Promise<void> {
  const [isSame, tellLate] = [watchViewer(), lateTeller()];
  Object.assign(eula, { isAccepting: true, failure: null });
  try {
    const { eulaVersion } = uploadAccess;
    await call(acceptEula, { body: eulaVersion === null ? {} : { version: eulaVersion } });
    if (!isSame()) return;
    confirmEula();
    showAlert(eulaTitle, notices.eulaAccepted);
  } catch {
    if (!uploadAccess.isEulaOpen) return tellLate(failures.acceptEula);
    eula.failure = failures.acceptEula;
    // A newer version has to be read before it is accepted.
    void readEulaVersion();
    void eulaText.reload();
  } finally {
    eula.isAccepting = false;
  }
}

function declineAgreement(): void {
  closeEula();
  showAlert(eulaTitle, notices.eulaDeclined);
}

function dismissEulaFailure(): void {
  eula.failure = null;
}
