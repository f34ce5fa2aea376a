import { Check, CircleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { createChannelList } from '#app/state/channels.ts';
import { connection } from '#app/state/connection.ts';
import { Swatch } from '#app/ui/badge.tsx';
import { Button } from '#app/ui/button.tsx';
import { SearchField } from '#app/ui/form/text-field.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Skeleton } from '#app/ui/loading.tsx';
import { Banner } from '#app/ui/messages.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { useBackLayer } from '#app/ui/store-hooks.ts';
import { mergeTag } from '#contract/endpoints.ts';
import type { Tag } from '#contract/entities/tag.ts';
import { failures } from '#contract/failures.ts';
import { notices } from '#contract/notices.ts';
import styles from './merge-dialog.module.css';
import { closeTagDialog, dialogSignal, finish } from './tag-forms.ts';
import { dismissOutcome, isAnyForSome, showOutcome, tags } from './tags-store.ts';

interface Props {
  tag: Readonly<Pick<Tag, 'id' | 'name'>>;
}

const words = 'Its videos go to the other tag, which takes its name as another name.';

/** Chooses the tag to merge into, from a list with a search. */
export function MergeDialog({ tag }: Props) {
  useBackLayer(closeTagDialog);
  useEffect(openMerge, []);
  const { failure } = useSnapshot(merge);
  const { items } = useSnapshot(tags.state);
  const { search } = useSnapshot(mergeTargets.state, { sync: true });
  return (
    <Modal
      title={`Merge ${tag.name} into...`}
      sentence={isAnyForSome(items, [tag.id]) ? `${words} ${notices.tagMergeOpens}` : words}
      onClose={closeTagDialog}
      foot={<Foot tag={tag} />}
    >
      {failure !== null && <Banner kind="danger" icon={<CircleAlert aria-hidden="true" />} sentence={failure} />}
      <SearchField
        label="Search tags"
        value={search}
        onChange={(text) => mergeTargets.typeSearch(text)}
        onApply={() => mergeTargets.applySearch()}
        onClear={() => mergeTargets.clearSearch()}
      />
      <Targets exceptId={tag.id} />
    </Modal>
  );
}

function Targets({ exceptId }: { exceptId: string }) {
  const list = useSnapshot(mergeTargets.state);
  const { into } = useSnapshot(merge);
  const others = list.items.filter(({ id }) => id !== exceptId);
  return (
    <ListBody
      face={others.length > 0 || faceOf(list) !== 'items' ? faceOf(list) : 'empty'}
      failure={list.failure}
      onRetry={() => void mergeTargets.reload()}
      cachedAt={list.cachedAt}
      skeleton={<Skeleton className={styles.waiting} />}
      empty={<p className={styles.empty}>No Tags Found</p>}
    >
      <ul className={styles.list} data-focus-region>
        {others.map((target) => (
          <li key={target.id}>
            <button
              type="button"
              className={styles.target}
              aria-pressed={target.id === into?.id}
              onClick={() => chooseTarget(target)}
            >
              <Swatch color={target.color} />
              <bdi className={styles.name}>{target.name}</bdi>
              {target.id === into?.id && <Check aria-hidden="true" />}
            </button>
          </li>
        ))}
      </ul>
    </ListBody>
  );
}

function Foot({ tag }: Props) {
  const { into, isBusy } = useSnapshot(merge);
  const { isReachable } = useSnapshot(connection);
  return (
    <div className={styles.foot}>
      {!isReachable && <p className={styles.waitingWords}>Needs a connection</p>}
      <Button kind="line" label="Cancel" onPress={closeTagDialog} />
      <Button
        label={isBusy ? 'Merging...' : 'Merge'}
        isDisabled={into === null || isBusy || !isReachable}
        onPress={() => void mergeInto(tag)}
      />
    </div>
  );
}

type Named = Pick<Tag, 'id' | 'name'>;

interface MergeState {
  /** The channel that remains. */
  into: Named | null;
  isBusy: boolean;
  failure: string | null;
}

const initial: MergeState = { into: null, isBusy: false, failure: null };

const merge = proxy<MergeState>({ ...initial });

/** The channels to choose from. */
const mergeTargets = createChannelList(failures.loadTags);

/** Loads the channels. Returns a function that closes the list. */
function openMerge(): () => void {
  Object.assign(merge, initial);
  return mergeTargets.open();
}

function chooseTarget({ id, name }: Named): void {
  merge.into = { id, name };
}

/**
 * Starts the merge, which the server completes on its own. The list is reloaded for the part done
 * at once.
 */
async function mergeInto({ id, name }: Named): Promise<void> {
  const { into } = merge;
  if (into === null) return;
  const signal = dialogSignal();
  dismissOutcome();
  Object.assign(merge, { isBusy: true, failure: null });
  const begin = async () => {
    await call(mergeTag, { params: { id }, body: { into: into.id } });
    showOutcome('ok', notices.tagMerging(name, into.name));
    void tags.reload();
  };
  try {
    await finish(begin(), signal, failures.mergeTag);
  } catch (error) {
    merge.failure = failures.mergeTag(error);
  } finally {
    if (!signal.aborted) merge.isBusy = false;
  }
}
