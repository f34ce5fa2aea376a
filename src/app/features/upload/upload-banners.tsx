import { Info, ScrollText, TriangleAlert } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { isAmong, session } from '#app/state/session.ts';
import { isAtRisk } from '#app/state/uploads/upload-facts.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { Banner } from '#app/ui/banner.tsx';
import * as notices from '#contract/notices.ts';
import { openEula, uploadAccess } from './access-store.ts';
import { useUploads } from './list/use-uploads.ts';
import styles from './upload-screen.module.css';

/** What concerns all uploads, the most pressing first. */
export function UploadBanners() {
  const { policy, isEulaAccepted } = useSnapshot(uploadAccess);
  const { user } = useSnapshot(session);
  const { isLasting } = useSnapshot(uploads);
  const isAnyAtRisk = useUploads(({ rows }) => rows.some(isAtRisk));
  return (
    <div className={styles.banners}>
      {isAnyAtRisk && <Banner icon={<TriangleAlert aria-hidden="true" />} sentence={notices.uploadsInProgress} />}
      {isEulaAccepted === false && (
        <Banner
          kind="info"
          icon={<ScrollText aria-hidden="true" />}
          sentence="Please read and accept the End-User License Agreement before you upload."
          action={{ label: 'Read and accept', onPress: openEula }}
        />
      )}
      {!isLasting && <Banner icon={<TriangleAlert aria-hidden="true" />} sentence={notices.uploadsEndWithPage} />}
      {policy === 'approval' && !isAmong(user, 'admin') && (
        <Banner kind="info" icon={<Info aria-hidden="true" />} sentence={notices.uploadsNeedApproval} />
      )}
    </div>
  );
}
