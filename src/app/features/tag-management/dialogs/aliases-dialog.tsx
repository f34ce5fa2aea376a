import { CircleAlert, X } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Banner } from '#app/ui/banner.tsx';
import { Button } from '#app/ui/button.tsx';
import { TextField } from '#app/ui/form/text-field.tsx';
import { useForm } from '#app/ui/form/use-form.ts';
import { IconButton } from '#app/ui/icon-button.tsx';
import { Modal } from '#app/ui/overlay/modal.tsx';
import { useBackLayer } from '#app/ui/overlay/use-back-layer.ts';
import styles from './aliases-dialog.module.css';
import { aliases, aliasForm, removeAlias, saveAliases } from './aliases-store.ts';
import { closeTagDialog } from './tag-dialogs.ts';

/** The other names that searches find a channel by. */
export function AliasesDialog({ name }: { name: string }) {
  useBackLayer(closeTagDialog);
  const { names, failure } = useSnapshot(aliases);
  return (
    <Modal
      title="Other names"
      sentence={
        <>
          Searches find <bdi>{name}</bdi> by these names as well.
        </>
      }
      onClose={closeTagDialog}
      foot={<Foot />}
    >
      {failure !== null && <Banner kind="danger" icon={<CircleAlert aria-hidden="true" />} sentence={failure} />}
      <ul aria-label="Other names">
        {names.map((alias) => (
          <li key={alias} className={styles.row}>
            <bdi className={styles.name}>{alias}</bdi>
            <IconButton label={`Remove ${alias}`} icon={<X aria-hidden="true" />} onPress={() => removeAlias(alias)} />
          </li>
        ))}
      </ul>
      {names.length === 0 && <p>It has no other names.</p>}
      <NewAlias />
    </Modal>
  );
}

function NewAlias() {
  const { field, formProps } = useForm(aliasForm);
  return (
    <form {...formProps} className={styles.form}>
      <div className={styles.field}>
        <TextField label="Another name" autoComplete="off" {...field('alias')} />
      </div>
      <Button kind="line" label="Add" submits />
    </form>
  );
}

function Foot() {
  const { isBusy } = useSnapshot(aliases);
  const { isReachable } = useSnapshot(connection);
  return (
    <div className={styles.foot}>
      {!isReachable && <p className={styles.waiting}>Needs a connection</p>}
      <Button kind="line" label="Cancel" onPress={closeTagDialog} />
      <Button
        label={isBusy ? 'Saving...' : 'Save'}
        isDisabled={isBusy || !isReachable}
        onPress={() => void saveAliases()}
      />
    </div>
  );
}
