import { Suspense, useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { lazyPart } from '#app/ui/loading/lazy-part.tsx';
import { LogoOutline } from '#app/ui/logo.tsx';
import styles from './upload-list.module.css';
import { useUploads } from './use-uploads.ts';

const loadRows = async () => (await import('./upload-rows.tsx')).UploadRows;
const UploadRows = lazyPart(loadRows, () => <Empty sentence="The list could not be loaded." />);

/** The files that are to be sent, are being sent and were sent. */
export function UploadList() {
  const { isLoaded } = useSnapshot(uploads);
  const isEmpty = useUploads(({ rows }) => rows.length === 0);
  useEffect(() => void loadRows().catch(ignoreFailure), []);
  return (
    <section className={styles.card} aria-label="Files">
      {isEmpty ? (
        <Empty
          title={isLoaded ? 'No files selected' : 'Loading...'}
          sentence={isLoaded ? 'Videos that you add are listed here until they are uploaded.' : null}
        />
      ) : (
        <Suspense fallback={<Empty title="Loading..." />}>
          <UploadRows />
        </Suspense>
      )}
    </section>
  );
}

function Empty({ title, sentence }: { title?: string; sentence?: string | null }) {
  return (
    <div className={styles.empty}>
      <LogoOutline className={styles.art} />
      {title && <h2>{title}</h2>}
      {sentence && <p>{sentence}</p>}
    </div>
  );
}

/** It is loaded again once there is a row. */
function ignoreFailure(): void {}
