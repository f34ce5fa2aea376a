import { ListFoot } from './list-foot.tsx';
import { ListSummary } from './list-summary.tsx';
import styles from './upload-list.module.css';
import { UploadRowView } from './upload-row.tsx';
import { summaryOf } from './upload-summary.ts';
import { useUploads } from './use-uploads.ts';

/** The files of a list that is not empty, and what can be done with all of them. */
export function UploadRows() {
  const ids = useUploads(({ rows }) => rows.map(({ id }) => id).join(' '));
  const isMoving = useUploads(({ rows }) => summaryOf(rows).isMoving);
  return (
    <>
      <ListSummary />
      <ul className={styles.list} data-focus-region>
        {ids.split(' ').map((id, index) => (
          <UploadRowView key={id} index={index} isMoving={isMoving} />
        ))}
      </ul>
      <ListFoot />
    </>
  );
}
