import { useSnapshot } from 'valtio';
import { Button } from '#app/ui/button.tsx';
import { countText } from '#app/ui/count-text.ts';
import { BulkBar } from '#app/ui/list/bulk-bar.tsx';
import { openTagDialog } from '../dialogs/tag-dialogs.ts';
import { tags } from '../tags-store.ts';

/** What can be done with the selected tags of the page. */
export function TagBulkBar() {
  const { selectedIds } = useSnapshot(tags.state);
  if (selectedIds.length === 0) return null;
  return (
    <BulkBar sentence={`${countText(selectedIds.length, 'tag')} selected`}>
      <Button kind="danger-fill" label="Delete Selected" onPress={() => openTagDialog({ kind: 'delete-selected' })} />
      <Button kind="quiet" label="Clear Selection" onPress={() => tags.clearSelection()} />
    </BulkBar>
  );
}
