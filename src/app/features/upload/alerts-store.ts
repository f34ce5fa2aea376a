import { proxy } from 'valtio/vanilla';
import { rejectedFiles } from '#contract/rules/upload-file.ts';

interface Alert {
  title: string;
  /** Several lines are joined by line breaks. */
  sentence: string;
}

/** What the screen has to say before anything else goes on; the first one is shown. */
export const alerts = proxy<{ waiting: Alert[] }>({ waiting: [] });

export function showAlert(title: string, sentence: string): void {
  alerts.waiting.push({ title, sentence });
}

/** §5 Upload: one alert for all, a line for each; none where nothing was refused. */
export function showRejected(rejections: readonly { filename: string; reason: string }[]): void {
  if (rejections.length > 0) showAlert('Upload Videos', rejectedFiles(rejections));
}

export function dismissAlert(): void {
  alerts.waiting.shift();
}

export function resetAlerts(): void {
  alerts.waiting = [];
}
