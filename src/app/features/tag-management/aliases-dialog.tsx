import { CircleAlert, X } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { connection } from '#app/state/connection.ts';
import { Button, IconButton } from '#app/ui/button.tsx';
import { createForm, useForm } from '#app/ui/form/form.ts';
import { TextField } from '#app/ui/form/text-field.tsx';
import { Banner } from '#app/ui/messages.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { useBackLayer } from '#app/ui/store-hooks.ts';
import type { Tag } from '#contract/entities/tag.ts';
import { failures } from '#contract/failures.ts';
import { checkAliases, checkTagName } from '#contract/rules/tag.ts';
import styles from './aliases-dialog.module.css';
import { closeTagDialog, dialogSignal, finish, openTagDialog } from './tag-forms.ts';
import { updateAliases } from './tags-store.ts';

/** The aliases of a channel, by which searches find it. */
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

interface AliasesState {
  /** The names to save, in the order in which they were added. */
  names: string[];
  isBusy: boolean;
  /** Why the names could not be saved. */
  failure: string | null;
}

const initial: AliasesState = { names: [], isBusy: false, failure: null };

const aliases = proxy<AliasesState>({ ...initial });

let tag = { id: '', name: '', aliases: [] as readonly string[] };

/** Adds a name to the list, which is saved as a whole. */
const aliasForm = createForm({
  empty: { alias: '' },
  check: ({ alias }) => ({ alias: checkNewAlias(alias.trim()) }),
  send: async ({ alias }) => {
    aliases.names = [...aliases.names, alias.trim()];
    aliasForm.reset();
  },
});

export function openAliases({ id, name, aliases: known }: Readonly<Pick<Tag, 'id' | 'name' | 'aliases'>>): void {
  tag = { id, name, aliases: [...known] };
  Object.assign(aliases, { ...initial, names: [...known] });
  aliasForm.reset();
  openTagDialog({ kind: 'aliases', tag });
}

function removeAlias(name: string): void {
  aliases.names = aliases.names.filter((one) => one !== name);
}

async function saveAliases(): Promise<void> {
  const signal = dialogSignal();
  Object.assign(aliases, { isBusy: true, failure: null });
  try {
    await finish(updateAliases(tag.id, tag.aliases, [...aliases.names]), signal, failures.updateTag);
  } catch (error) {
    aliases.failure = failures.updateTag(error);
  } finally {
    if (!signal.aborted) aliases.isBusy = false;
  }
}

function checkNewAlias(alias: string): string | null {
  const isKnown = [tag.name, ...aliases.names].some((name) => name.toLowerCase() === alias.toLowerCase());
  return checkTagName(alias) ?? (isKnown ? 'It has this name already' : checkAliases([...aliases.names, alias]));
}
