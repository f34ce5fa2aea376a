import { CircleAlert, Upload } from 'lucide-react';
import type { CSSProperties } from 'react';
import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { subscribe } from 'valtio/vanilla';
import { controls } from '#app/features/feed/controls/controls-store.ts';
import { navigation, openView } from '#app/state/navigation.ts';
import { outboxNotice } from '#app/state/outbox/outbox-notice.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { Toast } from '#app/ui/toast.tsx';
import { failures } from '#contract/failures.ts';
import { useScreenForm } from '../../ui/store-hooks.ts';
import styles from './upload-indicator.module.css';
import { uploadNotice } from './upload-notice.tsx';
import { UploadAnnouncer } from './upload-words.ts';
import { arrivals, watchArrivals, watchUploads } from './watch-uploads.ts';

const tones = { plain: '', warn: styles.warn, danger: styles.danger };

/**
 * The state of uploads, over every view but Upload, and for screen readers. Phones and TVs show it
 * in their menu.
 */
export function UploadIndicator() {
  const { view } = useSnapshot(navigation);
  const { count } = useSnapshot(uploadNotice);
  const form = useScreenForm();
  useEffect(watchUploads, []);
  useEffect(watchArrivals, []);
  const isDrawn = count > 0 && view !== 'upload' && form !== 'phone' && form !== 'tv';
  return (
    <>
      <Announcements />
      <LostShare />
      {isDrawn && (view === 'feed' ? <FeedPill /> : <Pill className={styles.rail} />)}
    </>
  );
}

/**
 * The toast about shared files that were lost. It stays until it is dismissed, because nothing else
 * mentions them.
 */
function LostShare() {
  const { isShareLost } = useSnapshot(arrivals);
  const dismiss = () => void Object.assign(arrivals, { isShareLost: false });
  return (
    isShareLost && (
      <Toast icon={<CircleAlert aria-hidden="true" />} sentence={failures.sharedFilesLost} onDismiss={dismiss} />
    )
  );
}

function Announcements() {
  const [said, setSaid] = useState({ sentence: '', number: 0 });
  useEffect(() => {
    const announcer = new UploadAnnouncer();
    const update = () => {
      const sentences = announcer.update(uploads.rows);
      if (sentences.length > 0) setSaid(({ number }) => ({ sentence: sentences.join(' '), number: number + 1 }));
    };
    update();
    return subscribe(uploads, update);
  }, []);
  return (
    <div role="status" className="visually-hidden">
      {/* A new element is announced even when its text has not changed. */}
      <span key={said.number}>{said.sentence}</span>
    </div>
  );
}

/** The pill over the feed, shown with the controls, and as long as it has the focus. */
function FeedPill() {
  const { active } = useSnapshot(controls);
  const { isLoaded: hasOutbox } = useSnapshot(outboxNotice);
  const [isFocused, setFocused] = useState(false);
  if (active === null && !isFocused) return null;
  // Shifts the pill by its own height, below the pills of the offline and outbox notices; no
  // controls are there.
  const style = { transform: `translate(-50%, ${hasOutbox ? 220 : 110}%)` };
  return <Pill className={styles.feed} style={style} onFocusChange={setFocused} />;
}

interface PillProps {
  className: string | undefined;
  style?: CSSProperties;
  onFocusChange?: (isFocused: boolean) => void;
}

function Pill({ className, style, onFocusChange }: PillProps) {
  const { words, tone } = useSnapshot(uploadNotice);
  return (
    <aside aria-label="Uploads" className={className} style={style}>
      <button
        type="button"
        className={`${styles.pill} ${tones[tone]}`}
        onClick={() => openView('upload')}
        onFocus={() => onFocusChange?.(true)}
        onBlur={() => onFocusChange?.(false)}
      >
        <Upload aria-hidden="true" />
        <span>{words}</span>
      </button>
    </aside>
  );
}
