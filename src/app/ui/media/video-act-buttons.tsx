import { EyeOff, Flag } from 'lucide-react';
import { IconButton } from '../button.tsx';

interface Props {
  onReport: () => void;
  /** Null for viewers who may not hide videos. */
  onHide: (() => void) | null;
}

/** The buttons of a player by which its video is reported, and hidden by administrators. */
export function VideoActButtons({ onReport, onHide }: Props) {
  return (
    <>
      <IconButton label="Report" icon={<Flag aria-hidden="true" />} onPress={onReport} />
      {onHide && <IconButton label="Hide video" icon={<EyeOff aria-hidden="true" />} onPress={onHide} />}
    </>
  );
}
