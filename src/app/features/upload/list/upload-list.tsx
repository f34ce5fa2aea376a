import { Suspense, useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { EmptyPart } from '#app/ui/list/empty-part.tsx';
import { lazyPart } from '#app/ui/loading/lazy-part.tsx';
import styles from './upload-list.module.css';
import { useUploads } from './use-uploads.ts';

const loadRows = async () => (await import('./upload-rows.tsx')).UploadRows;
const UploadRows = lazyPart(loadRows, () => <EmptyPart sentence="The list could not be loaded." />);

/** The files that are to be sent, are being sent and were sent. */
export function UploadList() {
  const { isLoaded } = useSnapshot(uploads);
  const isEmpty = useUploads(({ rows }) => rows.length === 0);
  useEffect(() => void loadRows().catch(ignoreFailure), []);
  return (
    <section className={styles.card} aria-label="Files">
      {isEmpty ? (
        <EmptyPart
          heading={isLoaded ? 'No files selected' : 'Loading...'}
          {...(isLoaded && { sentence: 'Videos that you add are listed here until they are uploaded.' })}
        />
      ) : (
        <Suspense fallback={<EmptyPart heading="Loading..." />}>
          <UploadRows />
        </Suspense>
      )}
    </section>
  );
}

/** It is loaded again once there is a row. */
function ignoreFailure(): void {}
