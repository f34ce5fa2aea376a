import type { UploadRow } from '#app/state/uploads/uploads-state.ts';

export type RowAction = 'pause' | 'resume' | 'retry' | 'pick-again' | 'allow' | 'remove';

type Row = Readonly<Pick<UploadRow, 'status'>>;

const pausable: readonly string[] = ['turn', 'network', 'wifi', 'retry'];
/** Interrupted, not pending: while others move, it counts as moving. */
const interrupted: readonly string[] = ['network', 'wifi', 'retry', 'other-tab'];

/**
 * What can be done with a file. It can be removed while it is pending or failed, or when nothing runs (§4 Upload).
 * @param isMoving whether any file of the list is being sent
 * @param hasPicker false on a TV, where no file can be chosen
 */
export function actionsOf({ status }: Row, isMoving: boolean, hasPicker = true): RowAction[] {
  if (status.kind === 'uploading') return ['pause'];
  if (status.kind === 'failed') return ['retry', 'remove'];
  if (status.kind !== 'waiting') return isMoving ? [] : ['remove'];
  const { reason } = status;
  const canBeRemoved = !(isMoving && interrupted.includes(reason));
  return [
    ...waitActions(reason).filter((action) => hasPicker || action !== 'pick-again'),
    ...(canBeRemoved ? (['remove'] as const) : []),
  ];
}

function waitActions(reason: string): RowAction[] {
  if (reason === 'paused') return ['resume'];
  if (reason === 'pick-again') return ['pick-again'];
  if (reason === 'permission') return ['allow'];
  return pausable.includes(reason) ? ['pause'] : [];
}
