import { FolderOpen, Upload } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { matches } from '#app/platform/capabilities.ts';
import { picksFolders } from '#app/platform/file-access.ts';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { Button } from '#app/ui/button.tsx';
import { limits } from '#contract/limits.ts';
import { addFiles, uploadScreen } from '../upload-store.ts';
import styles from './add-panel.module.css';
import { addFolder } from './add-store.ts';
import { useFilePicker } from './file-picker.tsx';
import { useFileDrop } from './use-file-drop.ts';

/** Where files are dropped or chosen; on a phone a button first. */
export function AddPanel() {
  const isOver = useFileDrop();
  const { isAdding } = useSnapshot(uploadScreen);
  const videos = useFilePicker((files) => void addFiles(files), { isMultiple: true });
  const isPhone = currentForm() === 'phone';
  return (
    <section className={`${styles.area} ${isOver ? styles.over : ''}`} aria-labelledby="add-videos">
      <Upload className={styles.icon} aria-hidden="true" />
      <h2 id="add-videos" className={styles.title}>
        {isPhone || !matches('(hover: hover)') ? 'Add videos' : 'Drop videos here'}
      </h2>
      <div className={styles.buttons}>
        <Button
          kind="line"
          isFirst
          label={isAdding ? 'Adding...' : 'Choose files'}
          icon={<FolderOpen aria-hidden="true" />}
          isDisabled={isAdding}
          onPress={videos.open}
        />
        {picksFolders() && <Button kind="quiet" label="Choose folder" onPress={() => void addFolder()} />}
        {matches('(pointer: coarse)') && <CameraButton />}
      </div>
      {videos.input}
      <p className={styles.hint}>{limits.uploadExtensions.join(', ')}</p>
      <p className={styles.hint}>Up to 5 GB each</p>
    </section>
  );
}

function CameraButton() {
  const camera = useFilePicker((files) => void addFiles(files), { isCamera: true, label: 'Camera' });
  return (
    <>
      <Button kind="quiet" label="Record a video" onPress={camera.open} />
      {camera.input}
    </>
  );
}
