import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { call } from '#app/platform/http/call.ts';
import { connection } from '#app/state/connection.ts';
import { mayEditTags } from '#app/state/may.ts';
import { session } from '#app/state/session.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { detailsRequest, titleChanged } from '#app/state/view-requests.ts';
import { Button } from '#app/ui/button.tsx';
import { Row } from '#app/ui/card.tsx';
import { FormDialog } from '#app/ui/dialogs.tsx';
import { createForm } from '#app/ui/form/form.ts';
import { TextArea, TextField } from '#app/ui/form/text-field.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { SquaresLoader } from '#app/ui/loading.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { Resource, resourceFace } from '#app/ui/resource.ts';
import { useBackLayer } from '#app/ui/store-hooks.ts';
import { countText, momentOf, sizeText, spanText } from '#app/ui/texts.ts';
import { readVideoDetails, updateVideoDetails } from '#contract/endpoints.ts';
import type { VideoDetails } from '#contract/entities/video.ts';
import { failures } from '#contract/failures.ts';
import { checkVideoDescription, checkVideoTitle } from '#contract/rules/video-details.ts';
import styles from './details-dialog.module.css';

/**
 * Shows the facts about a video. Whoever may edit channels also edits its title and description.
 */
export default function DetailsDialog({ onClose }: { onClose: () => void }) {
  const [isEditing, setEditing] = useState(false);
  useEffect(() => details.open(), []);
  const state = useSnapshot(details.state) as typeof details.state;
  const isEditor = mayEditTags(useSnapshot(session), useSnapshot(siteConfig));
  if (isEditing && isEditor && state.value)
    return <EditDialog details={state.value} onClose={() => setEditing(false)} />;
  const edit = isEditor && state.value && (
    <div className={styles.buttons}>
      <Button kind="line" label="Edit" onPress={() => setEditing(true)} />
    </div>
  );
  return (
    <Modal title={state.value?.title ?? 'Details'} onClose={onClose} foot={edit}>
      <ListBody
        face={resourceFace(state)}
        failure={state.failure}
        onRetry={() => void details.reload()}
        skeleton={<SquaresLoader className={styles.loader} />}
        empty={null}
      >
        {state.value && <Facts details={state.value} />}
      </ListBody>
    </Modal>
  );
}

const details = new Resource<VideoDetails>({
  load: async (signal) => {
    const reply = await call(readVideoDetails, { params: { id: detailsRequest.videoId }, signal });
    return reply.details;
  },
  toSentence: failures.loadDetails,
});

function Facts({ details: known }: { details: VideoDetails }) {
  const { description, tags, recorded_at, created_at, duration, size, filename, encodings, place } = known;
  return (
    <>
      {description !== '' && <p className={styles.description}>{description}</p>}
      <ul>
        <Row label="Channels" value={tags.map(({ name }) => name).join(', ') || 'None'} />
        {recorded_at !== null && <Row label="Recorded" value={momentOf(recorded_at)} />}
        <Row label="Added" value={momentOf(created_at)} />
        {duration !== null && <Row label="Length" value={spanText(Math.round(duration))} />}
        <Row label="Picture" value={pictureText(known)} />
        <Row label="Format" value={formatText(known)} />
        <Row label="Size" value={sizeText(size)} />
        <Row label="File name" value={filename} />
        <Row label="Played" value={playedText(known)} />
        {place !== null && <Row label="Place on the server" value={place} />}
        {encodings.length > 0 && <Row label="Encodings" value={encodings.map(encodingText).join(', ')} />}
      </ul>
    </>
  );
}

function pictureText({ width, height }: Pick<VideoDetails, 'width' | 'height'>): string {
  return width === null || height === null ? 'Not known' : `${width} × ${height}`;
}

/** How often it was played, as far as its length is known. */
export function playedText({ played_seconds, duration }: Pick<VideoDetails, 'played_seconds' | 'duration'>): string {
  if (played_seconds === 0) return 'Not yet';
  const times = duration === null || duration === 0 ? 0 : Math.round(played_seconds / duration);
  const span = `${spanText(played_seconds)} in all`;
  return times === 0 ? span : `${span}, about ${countText(times, 'time')}`;
}

/** Names of codecs and containers that are written otherwise than in capitals. */
const formatNames: Readonly<Record<string, string>> = {
  avc: 'H.264',
  hevc: 'H.265',
  prores: 'ProRes',
  opus: 'Opus',
  vorbis: 'Vorbis',
  webm: 'WebM',
  matroska: 'Matroska',
  mov: 'QuickTime',
};

function formatText({ video_codec, audio_codec, container }: VideoDetails): string {
  const nameOf = (part: string) => formatNames[part] ?? part.toUpperCase();
  const parts = [video_codec, audio_codec, container].flatMap((part) => (part === null ? [] : nameOf(part)));
  return parts.length === 0 ? 'Not known' : parts.join(', ');
}

function encodingText({ name, width, height, bytes }: VideoDetails['encodings'][number]): string {
  return `${name === 'hd' ? 'HD' : 'Grid'} ${pictureText({ width, height })} (${sizeText(bytes)})`;
}

/** A blank title stands for the one that the file gives. */
const editForm = createForm({
  empty: { title: '', description: '' },
  check: ({ title, description }) => ({
    title: checkVideoTitle(title),
    description: checkVideoDescription(description),
  }),
  send: async (_, signal, body) => {
    const { videoId: id } = detailsRequest;
    const reply = await call(updateVideoDetails, { params: { id }, body });
    titleChanged.emit(reply.details);
    if (details.state.value?.id === id) details.state.value = reply.details;
    if (!signal.aborted) closeEditing();
  },
  toLateSentence: failures.changeDetails,
  staysBusy: true,
});

let closeEditing = () => {};

function EditDialog({ details: known, onClose }: { details: VideoDetails; onClose: () => void }) {
  const { isReachable } = useSnapshot(connection);
  useBackLayer(onClose);
  useEffect(() => {
    closeEditing = onClose;
  }, [onClose]);
  // The values that are shown when the form opens; a reload of the details does not replace them.
  const [opened] = useState(known);
  useEffect(() => {
    editForm.reset({ title: opened.title, description: opened.description });
    return () => editForm.reset();
  }, [opened]);
  return (
    <FormDialog
      form={editForm}
      title="Edit details"
      action="Save"
      busy="Saving..."
      isOffline={!isReachable}
      onClose={onClose}
    >
      {(field) => (
        <>
          <TextField label="Title" hint="Left empty, it comes from the file." autoComplete="off" {...field('title')} />
          <TextArea label="Description" {...field('description')} />
        </>
      )}
    </FormDialog>
  );
}
