import { useSnapshot } from 'valtio';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { LogoOutline } from '#app/ui/logo.tsx';
import { ListFoot } from './list-foot.tsx';
import { ListSummary } from './list-summary.tsx';
import styles from './upload-list.module.css';
import { UploadRowView } from './upload-row.tsx';
import { summaryOf } from './upload-summary.ts';
import { useUploads } from './use-uploads.ts';

/** The files that are to be sent, are being sent and were sent. */
export function UploadList() {
  const ids = useUploads(({ rows }) => rows.map(({ id }) => id).join(' '));
  const isMoving = useUploads(({ rows }) => summaryOf(rows).isMoving);
  return (
    <section className={styles.card} aria-label="Files">
      {ids === '' ? (
        <Empty />
      ) : (
        <>
          <ListSummary />
          <ul className={styles.list} data-focus-region>
            {ids.split(' ').map((id, index) => (
              <UploadRowView key={id} index={index} isMoving={isMoving} />
            ))}
          </ul>
          <ListFoot />
        </>
      )}
    </section>
  );
}

function Empty() {
  const { isLoaded } = useSnapshot(uploads);
  return (
    <div className={styles.empty}>
      <LogoOutline className={styles.art} />
      <h2>{isLoaded ? 'No files selected' : 'Loading...'}</h2>
      {isLoaded && <p>Videos that you add are listed here until they are uploaded.</p>}
    </div>
  );
}
