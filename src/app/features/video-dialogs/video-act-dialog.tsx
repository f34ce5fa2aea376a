import { Check } from 'lucide-react';
import { useEffect, useId } from 'react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { connection } from '#app/state/connection.ts';
import { closeDialog } from '#app/state/navigation.ts';
import { videoAct } from '#app/state/view-requests.ts';
import { Button } from '#app/ui/button.tsx';
import { FormDialog } from '#app/ui/dialogs.tsx';
import type { FieldProps } from '#app/ui/form/form.ts';
import { createForm } from '#app/ui/form/form.ts';
import { FieldNote, TextField } from '#app/ui/form/text-field.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { confirmations } from '#contract/confirmations.ts';
import { hideVideo, reportVideo } from '#contract/endpoints.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { notices } from '#contract/notices.ts';
import type { ReportReason } from '#contract/rules/video-details.ts';
import { checkReportText, reportReasons } from '#contract/rules/video-details.ts';
import styles from './video-act-dialog.module.css';

/** The dialog in which a video is reported, or the question before it is hidden. */
export default function VideoActDialog({ onClose }: { onClose: () => void }) {
  const { current } = useSnapshot(videoAct);
  const { isReachable } = useSnapshot(connection);
  useEffect(() => reset, []);
  if (!current) return null;
  const { kind, video } = current;
  if (kind === 'report') return <ReportDialog title={video.title} isOffline={!isReachable} onClose={onClose} />;
  return (
    <FormDialog
      form={hideForm}
      title="Hide Video"
      sentence={confirmations.hideVideo(video.title)}
      action="Hide video"
      busy="Hiding..."
      isAlert
      isOffline={!isReachable}
      onClose={onClose}
    />
  );
}

interface ReportDialogProps {
  title: string;
  isOffline: boolean;
  onClose: () => void;
}

function ReportDialog({ title, isOffline, onClose }: ReportDialogProps) {
  const { isSent } = useSnapshot(report);
  if (isSent)
    return (
      <Modal kind="alertdialog" title="Report" sentence={notices.videoReported} onClose={onClose}>
        <Button label="Done" isFirst onPress={onClose} />
      </Modal>
    );
  return (
    <FormDialog
      form={reportForm}
      title="Report"
      sentence={title}
      action="Send"
      busy="Sending..."
      isOffline={isOffline}
      onClose={onClose}
    >
      {(field) => (
        <>
          <Reasons {...field('reason')} />
          <TextField
            label="What is wrong?"
            isOptional
            autoComplete="off"
            maxLength={limits.reportCharacters}
            {...field('text')}
          />
        </>
      )}
    </FormDialog>
  );
}

const reasons = Object.keys(reportReasons) as ReportReason[];

/** The reasons, each of which is a stop of the focus, as in lists of a remote. */
function Reasons({ value, problem, onChange }: FieldProps) {
  const noteId = useId();
  return (
    <div>
      <div role="radiogroup" aria-label="Reason" aria-describedby={problem && noteId} data-focus-region>
        {reasons.map((reason, at) => (
          // biome-ignore lint/a11y/useSemanticElements: arrows move the focus to radio inputs and choose them at once
          <button
            key={reason}
            type="button"
            role="radio"
            aria-checked={reason === value}
            className={styles.reason}
            data-focus-first={at === 0 || undefined}
            data-invalid={(problem && at === 0) || undefined}
            onClick={() => onChange(reason)}
          >
            <span className={styles.mark}>{reason === value && <Check aria-hidden="true" />}</span>
            {reportReasons[reason]}
          </button>
        ))}
      </div>
      <FieldNote id={noteId} problem={problem} />
    </div>
  );
}

const report = proxy({ isSent: false });

const reportForm = createForm({
  empty: { reason: '', text: '' },
  check: ({ reason, text }) => ({
    reason: reason === '' ? 'Choose a reason' : null,
    text: checkReportText(text),
  }),
  send: async ({ reason, text }, signal) => {
    const { video } = requireAct();
    await call(reportVideo, { params: { id: video.id }, body: { reason: reason as ReportReason, text: text.trim() } });
    if (!signal.aborted) report.isSent = true;
  },
  toLateSentence: failures.reportVideo,
});

/** The confirmation form; it has no fields. */
const hideForm = createForm<never>({
  empty: {},
  check: () => ({}),
  send: async (_, signal) => {
    const { video, onHidden } = requireAct();
    await call(hideVideo, { params: { id: video.id } });
    if (!signal.aborted) closeDialog();
    onHidden?.(video.id);
  },
  toLateSentence: failures.hideVideo,
  staysBusy: true,
});

/** @throws when no video was chosen, which no view does */
function requireAct() {
  const { current } = videoAct;
  if (!current) throw new Error('No video was chosen');
  return current;
}

function reset(): void {
  reportForm.reset();
  hideForm.reset();
  report.isSent = false;
}
