import type { ChangeEvent, ReactNode } from 'react';
import { useRef } from 'react';
import { pickFileHandles, picksHandles } from '#app/platform/file-access.ts';
import type { PickedFile } from '#app/state/uploads/upload-queue.ts';
import { messageOf } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { showAlert } from '../alerts-store.ts';
import { withoutHandles } from './read-dropped.ts';

/** Endings for desktops, types for phones. */
const accepted = `video/*,${limits.uploadExtensions.join()}`;

interface Options {
  isMultiple?: boolean;
  /** Opens the camera, where there is one. */
  isCamera?: boolean;
  label?: string;
}

/**
 * Lets somebody choose files: with handles where the browser has them, else by its own field, which has to be drawn.
 */
export function useFilePicker(
  onPick: (files: PickedFile[]) => void,
  { isMultiple = false, isCamera = false, label = 'Videos' }: Options = {},
): { open: () => void; input: ReactNode } {
  const field = useRef<HTMLInputElement>(null);
  const choose = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    onPick(withoutHandles(currentTarget.files ?? []));
    // The same file is another choice the next time.
    currentTarget.value = '';
  };
  const open = () => {
    if (picksHandles() && !isCamera) void pickHandles(isMultiple).then(onPick, showFailure);
    else field.current?.click();
  };
  const input = (
    <input
      ref={field}
      type="file"
      accept={isCamera ? 'video/*' : accepted}
      multiple={isMultiple}
      {...(isCamera && { capture: 'environment' as const })}
      aria-label={label}
      hidden
      onChange={choose}
    />
  );
  return { open, input };
}

/** A file that was chosen may be gone, or not to be read. */
function showFailure(error: unknown): void {
  showAlert('Upload Videos', messageOf(error));
}

async function pickHandles(isMultiple: boolean): Promise<PickedFile[]> {
  const handles = await pickFileHandles(isMultiple, limits.uploadExtensions);
  return Promise.all(handles.map(async (handle) => ({ file: await handle.getFile(), handle })));
}
