import { CircleAlert } from 'lucide-react';
import type { Snapshot } from 'valtio';
import { Banner } from '#app/ui/banner.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { sizeText } from '#app/ui/size-text.ts';
import { momentOf } from '#app/ui/time-text.ts';
import type { BackupState, StoredBackup } from '#contract/entities/site.ts';
import { Moment } from '../moment.tsx';
import shared from '../section.module.css';

/** The latest backup, and what none contains. */
export function BackupCard({ backup }: { backup: Snapshot<BackupState> }) {
  const { folder, next_at, latest, failure, left_out } = backup;
  return (
    <Card title="Backup">
      <div className={shared.lines}>
        {failure && (
          <Banner
            kind="danger"
            icon={<CircleAlert aria-hidden="true" />}
            sentence={`The backup of ${momentOf(failure.at)} failed: ${failure.message}`}
          />
        )}
        {folder === null ? (
          <p>
            No backup is made by itself. Name a folder in BACKUP_DIR and start the site again: then one is made each
            night. <code>npm run backup</code> makes one now.
          </p>
        ) : (
          <p className={shared.path}>
            Each night into <bdi>{folder}</bdi>
            {next_at !== null && `, next ${momentOf(next_at)}`}
          </p>
        )}
        {latest ? <Latest latest={latest} /> : <p className={shared.quiet}>There is no backup yet.</p>}
        <LeftOut folders={left_out} />
      </div>
    </Card>
  );
}

function Latest({ latest: { at, file, bytes } }: { latest: Readonly<StoredBackup> }) {
  return (
    <p className={shared.path}>
      The latest is of <Moment time={at} />: <bdi>{file}</bdi>, {sizeText(bytes)}
    </p>
  );
}

function LeftOut({ folders }: { folders: readonly string[] }) {
  if (folders.length === 0) return null;
  return (
    <div className={shared.quiet}>
      <p>In no backup, to be copied by other means:</p>
      <ul>
        {folders.map((folder) => (
          <li key={folder} className={shared.path}>
            <bdi>{folder}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}
